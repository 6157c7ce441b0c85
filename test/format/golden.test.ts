import { describe, expect, test } from "vitest";
import { encodeContainer, encodeSegment, type ContainerFooter, type SegmentMeta } from "../../src/storage/segment/segment-file.js";
import { encodeBatch } from "../../src/store/batch/batch.js";
import { encodeDictionaryFile } from "../../src/store/files/files.js";
import { decodeReceived, encodeReceived } from "../../src/store/files/received-times.js";
import { encodeFrame, encodeJournalHeader } from "../../src/store/journal/journal.js";
import { encodeManifest } from "../../src/store/files/manifest.js";
import { containerParts, hex } from "./hex.js";
import { deltas, sampleBatch, sampleManifest, sampleRows } from "./samples.js";

/** A codec that leaves bytes as they are: what is compared must not hang on a version of zlib. */
const asIs = (bytes: Uint8Array) => bytes;

describe("the bytes of each file, which stores that exist already have", () => {
  test("a journal's header is its magic, the epoch and their checksum", () => {
    expect(hex(encodeJournalHeader(3))).toBe("44424a3103000000fc60563b");
  });

  test("a file of times is their number, the distances of their first sequences, and their differences", () => {
    // At 2026-03-01T00:00:00Z sequences 5 to 8; a second later 9 to 309; then 310, by a clock that went back by 2 ms; 311 at the same time.
    const pairs = [5, 1_772_323_200_000, 9, 1_772_323_201_000, 310, 1_772_323_200_998, 311, 1_772_323_200_998];
    const bytes = encodeReceived(pairs);
    expect(hex(bytes)).toBe("030504ad0280f08eeb9467d00f03");
    expect(decodeReceived("a file", bytes, { firstSequence: 4, nextSequence: 400 })).toEqual(pairs.slice(0, 6));
  });

  test("a frame is seven words, a time, the checksum and its payload", () => {
    expect(hex(encodeFrame(1, 5, 2, 4, 0xdeadbeef, 1_772_323_200_000, Uint8Array.of(1, 2, 3)).bytes)).toBe(
      [
        "46524d31030000000100000005000000",
        "04000000efbeadde020000000000c01d",
        "6bca794204e00e9f010203",
      ].join("\n"),
    );
  });

  test("a batch is new dictionary values, then rows column by column", () => {
    expect(hex(encodeBatch(deltas, sampleBatch()))).toBe(
      [
        "360000005b5b226e616d65222c312c5b",
        "226f70656e222c226772c3b6c39f6522",
        "5d5d2c5b226d31222c332c5b227b5c22",
        "615c223a317d225d5d5d020000000000",
        "c01d6bca79420010c01d6bca7942a1a1",
        "a1a1a1a1a1a1a1a1a1a1a1a1a1a1b2b2",
        "b2b2b2b2b2b2b2b2b2b2b2b2b2b20101",
        "02000200003412000000000000000000",
        "00000000000000000000000100010100",
        "00000103",
      ].join("\n"),
    );
  });

  test("a container is blocks at multiples of eight, a footer and a trailer", async () => {
    const block = (name: string, bytes: Uint8Array) => ({ name, bytes, rawByteLength: bytes.length, deflated: false });
    const container = await encodeContainer([block("a", Uint8Array.of(1, 2, 3)), block("b", Uint8Array.of(9))], { kind: "sample" });
    expect(containerParts(container)).toEqual({
      blocks: [
        "444159424f4f4b310102030000000000",
        "09",
      ].join("\n"),
      footer: [
        '{"blocks":[{"name":"a","offset":8,"byteLength":3,"rawByteLength":3,"deflated":false,"crc32":14384169',
        '25},{"name":"b","offset":16,"byteLength":1,"rawByteLength":1,"deflated":false,"crc32":2883475241}],"',
        'meta":{"kind":"sample"}}',
      ].join(""),
      trailer: "e0000000c01ec170314b4f4f42594144",
    });
  });

  test("a segment file has times, ids, sequences, the columns that some row has a value in, the actors, and which ids came together", async () => {
    expect(containerParts((await encodeSegment(sampleRows(), { deflate: asIs, summaries: [] })).bytes)).toEqual({
      blocks: [
        "444159424f4f4b311c000000000000a0",
        "000000f4b74c0a000101010101010101",
        "01010101010101010202020202020202",
        "02020202020202020303030303030303",
        "0303030303030303040000004e010000",
        "19000000000000000058120000000000",
        "30000000000000002d00000000000000",
        "03000000040000000300000000000000",
        "05000000560000000100000004000000",
        "2a010000",
      ].join("\n"),
      footer: [
        '{"blocks":[{"name":"ms","offset":8,"byteLength":16,"rawByteLength":16,"deflated":false,"form":"packe',
        'd","crc32":4150540415},{"name":"id","offset":24,"byteLength":48,"rawByteLength":48,"deflated":false,',
        '"crc32":2991438734},{"name":"sequence","offset":72,"byteLength":8,"rawByteLength":8,"deflated":false',
        ',"form":"packed","crc32":2606863530},{"name":"name","offset":80,"byteLength":4,"rawByteLength":4,"de',
        'flated":false,"form":"packed","crc32":206948105},{"name":"url","offset":88,"byteLength":4,"rawByteLe',
        'ngth":4,"deflated":false,"form":"packed","crc32":991940807},{"name":"userId","offset":96,"byteLength',
        '":4,"rawByteLength":4,"deflated":false,"form":"packed","crc32":3513722813},{"name":"anonymousId","of',
        'fset":104,"byteLength":4,"rawByteLength":4,"deflated":false,"form":"packed","crc32":1931258111},{"na',
        'me":"m1.rows","offset":112,"byteLength":8,"rawByteLength":8,"deflated":false,"form":"packed","crc32"',
        ':1691307997},{"name":"m1","offset":120,"byteLength":1,"rawByteLength":1,"deflated":false,"crc32":125',
        '9060791},{"name":"actors","offset":128,"byteLength":8,"rawByteLength":8,"deflated":false,"form":"pac',
        'ked","crc32":3282338163},{"name":"links","offset":136,"byteLength":12,"rawByteLength":12,"deflated":',
        'false,"crc32":2859966871}],"meta":{"kind":"segment","day":20513,"rowCount":3,"minMs":0,"maxMs":86399',
        '999,"firstSequence":7,"lastSequence":9,"columns":[{"name":"name","width":1,"min":1,"max":2,"hasZero"',
        ':false},{"name":"url","width":2,"min":4,"max":300,"hasZero":true},{"name":"userId","width":1,"min":6',
        ',"max":6,"hasZero":true},{"name":"anonymousId","width":1,"min":5,"max":5,"hasZero":true},{"name":"m1',
        '","width":1,"min":3,"max":3,"hasZero":true,"entryCount":1}],"actors":{"plain":{"count":2,"max":12},"',
        'members":{"count":0,"max":0},"companies":{"count":0,"max":0},"projects":{"count":2,"max":0}}}}',
      ].join(""),
      trailer: "020700001916d43a314b4f4f42594144",
    });
  });

  test("a dictionary file has a JSON array of new values for each dictionary", async () => {
    expect(containerParts(await encodeDictionaryFile(deltas, asIs))).toEqual({
      blocks: [
        "444159424f4f4b315b226f70656e222c",
        "226772c3b6c39f65225d000000000000",
        "5b227b5c22615c223a317d225d",
      ].join("\n"),
      footer: [
        '{"blocks":[{"name":"name","offset":8,"byteLength":18,"rawByteLength":18,"deflated":true,"crc32":3661',
        '017314},{"name":"m1","offset":32,"byteLength":13,"rawByteLength":13,"deflated":true,"crc32":93996497',
        '7}],"meta":{"kind":"dictionary","deltas":[{"name":"name","start":1,"count":2,"charCount":9,"valueCou',
        'nt":2},{"name":"m1","start":3,"count":1,"charCount":7,"valueCount":1}]}}',
      ].join(""),
      trailer: "7401000008ac9963314b4f4f42594144",
    });
  });

  test("actors with a company have blocks of their own, behind those without one", async () => {
    const rows = sampleRows();
    const columns = new Map([...rows.columns, ["companyId", { kind: "dense", codes: Uint8Array.of(0, 9, 0) }] as const]);
    const { bytes } = await encodeSegment({ ...rows, columns }, { deflate: asIs, summaries: [] });
    const { footer } = containerParts(bytes);
    const { blocks, meta } = JSON.parse(footer) as ContainerFooter<SegmentMeta>;
    const ofActors = blocks.filter(({ name }) => name.startsWith("actors"));
    expect(ofActors.map(({ name, form, offset, byteLength }) => `${name} ${form}: ${hex(bytes.subarray(offset, offset + byteLength))}`)).toEqual([
      "actors packed: 0500000016000000",
      "actors.member packed: 0500000018000000",
      "actors.companyId undefined: 09",
    ]);
    expect(meta.actors).toEqual({ plain: { count: 1, max: 11 }, members: { count: 1, max: 12 }, companies: { count: 1, max: 9 }, projects: { count: 2, max: 0 } });
  });

  test("a manifest is a line of JSON and a line of SHA-256", () => {
    expect(new TextDecoder().decode(encodeManifest(sampleManifest))).toBe(
      [
        '{"format":8,"epoch":3,"clean":true,"nextSequence":10,"firstJournal":4,"nextFile":6,"segments":[{"key',
        '":"segments/0000000002","byteLength":1024,"day":20513,"rowCount":9,"minMs":4,"maxMs":86399999,"first',
        'Sequence":1,"lastSequence":9,"columnCount":5,"hasLinks":true,"sha256":"ababababababababababababababa',
        'bababababababababababababababababab","footerCrc32":4000000001}],"dictionaries":[{"key":"dictionaries',
        '/0000000003","byteLength":256,"sha256":"cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd',
        'cdcd","footerCrc32":7}],"identities":[{"key":"identities/0000000004","byteLength":128,"sha256":"efef',
        'efefefefefefefefefefefefefefefefefefefefefefefefefefefefefef","footerCrc32":0}],"received":[{"key":"',
        'identities/0000000005","byteLength":64,"sha256":"0101010101010101010101010101010101010101010101010101',
        '010101010101","footerCrc32":9,"firstSequence":1,"nextSequence":10}],"privacy":null}',
        "\nd001904906a31cce3384e6c042443132cf5d8520df21937ff983a51c0358c0d3\n",
      ].join(""),
    );
  });
});
