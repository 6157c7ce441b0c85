import { Binary, BinaryView, Data, DataType, Dictionary, Field, FixedSizeList, LargeBinary, LargeList, List, Map_, Struct, Vector } from "apache-arrow";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Text as it stands: the library drops a byte order mark at its start, and puts U+FFFD in the place of what is no UTF-8. @throws TypeError */
export function textOf(bytes: unknown): string {
  return decoder.decode(bytes as Uint8Array);
}

/** Whether values of a type are text. */
export function isText(type: DataType): boolean {
  return DataType.isUtf8(type) || DataType.isLargeUtf8(type) || DataType.isUtf8View(type);
}

/** The same column with the bytes of texts in the place of texts, at whatever depth: the buffers are shared. */
export function withTextBytes(column: Vector): Vector {
  return new Vector(column.data.map(dataWithBytes));
}

function dataWithBytes(data: Data): Data {
  const { type, offset, length, nullCount, children, variadicBuffers } = data;
  const inner = children.map(dataWithBytes);
  const dictionary = data.dictionary === undefined ? undefined : withTextBytes(data.dictionary);
  return new Data(typeWithBytes(type), offset, length, nullCount, data, inner, dictionary, variadicBuffers);
}

function typeWithBytes(type: DataType): DataType {
  if (DataType.isUtf8(type)) return new Binary();
  if (DataType.isLargeUtf8(type)) return new LargeBinary();
  if (DataType.isUtf8View(type)) return new BinaryView();
  if (DataType.isDictionary(type)) return new Dictionary(typeWithBytes(type.dictionary as DataType), type.indices, type.id, type.isOrdered);
  if (DataType.isStruct(type)) return new Struct(type.children.map(fieldWithBytes));
  if (DataType.isList(type)) return new List(fieldWithBytes(type.children[0] as Field));
  if (DataType.isLargeList(type)) return new LargeList(fieldWithBytes(type.children[0] as Field));
  if (DataType.isFixedSizeList(type)) return new FixedSizeList(type.listSize, fieldWithBytes(type.children[0] as Field));
  if (DataType.isMap(type)) return new Map_(fieldWithBytes(type.children[0] as Field) as ConstructorParameters<typeof Map_>[0], type.keysSorted);
  return type;
}

function fieldWithBytes(field: Field): Field {
  return new Field(field.name, typeWithBytes(field.type as DataType), field.nullable, field.metadata);
}
