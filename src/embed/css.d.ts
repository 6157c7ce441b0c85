/** The text of a style sheet with all that it imports: the build puts it there. */
declare module "*.css" {
  const text: string;
  export default text;
}
