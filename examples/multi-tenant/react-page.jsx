/** @jsxImportSource react */
import { createRoot } from "react-dom/client";
import { DaybookChart, DaybookFunnel, DaybookList, DaybookNumber } from "daybook/react";

const views = { eventName: "page_view", lastDays: 30 };
const opened = { eventName: "report_opened", lastDays: 30 };
const steps = [{ eventName: "page_view" }, { eventName: "report_opened" }, { eventName: "report_shared" }];

function Usage() {
  const shared = { tokenUrl: "/analytics-token" };
  return (
    <>
      <DaybookNumber {...shared} heading="People" query={{ trend: { measure: { type: "unique_users" }, lastDays: 30 } }} />
      <DaybookChart {...shared} heading="Page views per day" query={{ trend: { ...views, interval: "day" } }} />
      <DaybookList {...shared} heading="Pages" query={{ trend: { ...views, breakdown: { fields: ["path"], limit: 8 } } }} />
      <DaybookList {...shared} heading="Reports opened" query={{ trend: { ...opened, breakdown: { fields: ["metadata.report"], limit: 8 } } }} />
      <DaybookFunnel {...shared} heading="From visit to shared report" query={{ funnel: { steps, lastDays: 30 } }} />
    </>
  );
}

createRoot(document.querySelector("#root")).render(<Usage />);
