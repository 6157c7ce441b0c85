/** The name with its logo. */
export function Mark() {
  return (
    <span class="mark">
      <svg viewBox="0 0 20 20" aria-hidden="true" focusable="false">
        <rect x="2" y="2" width="16" height="16" rx="4" class="mark-ground" />
        <path d="M6 13.5v-3M10 13.5v-7M14 13.5v-5" class="mark-bars" />
      </svg>
      Daybook
    </span>
  );
}
