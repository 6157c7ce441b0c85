/** What is used of React, which need not be installed to build this package. */
declare module "react" {
  export function createElement(type: string, props: object | null): { readonly type: string; readonly props: unknown; readonly key: string | null };
}
