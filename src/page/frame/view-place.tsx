import type { ComponentType } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { Empty } from "../parts/notice.js";

/** Shows a view; one that breaks leaves the rest of the page whole. */
export function ViewPlace({ View }: { readonly View: ComponentType }) {
  const [broken, again] = useErrorBoundary((thrown: unknown) => console.error(thrown));
  if (broken === undefined) return <View />;
  return (
    <section class="panel" aria-label="Error">
      <Empty title="This view broke">
        <p>The answer was not what it understands. Its numbers can still be asked by curl.</p>
        <p>
          <button type="button" class="button" onClick={again}>
            Try again
          </button>
        </p>
      </Empty>
    </section>
  );
}
