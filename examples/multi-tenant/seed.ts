import type { EventInput } from "daybook";

/** The customers, with names that no other may see. */
export const TENANTS = {
  acme: { users: ["ada@acme.example", "ari@acme.example", "abe@acme.example"], pages: ["/rockets", "/anvils"], reports: ["Tunnel paint", "Magnets"] },
  blue: { users: ["bea@blue.example", "ben@blue.example"], pages: ["/lagoon", "/tides", "/whales"], reports: ["Plankton", "Salinity"] },
  coral: {
    users: ["cho@coral.example", "cem@coral.example", "cat@coral.example", "col@coral.example"],
    pages: ["/reef", "/polyps"],
    reports: ["Bleaching", "Clownfish"],
  },
} as const;

export type Tenant = keyof typeof TENANTS;

export function isTenant(name: string): name is Tenant {
  return Object.hasOwn(TENANTS, name);
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const DAYS = 14;

/** Two weeks of visits up to yesterday: each user comes every day or less, some open a report, fewer share it. */
export function seedEvents(nowMs: number): EventInput[] {
  return Object.keys(TENANTS).filter(isTenant).flatMap((tenant) => {
    const { users, pages, reports } = TENANTS[tenant];
    return users.flatMap((userId, user) =>
      Array.from({ length: DAYS }, (_, day) => day).filter((day) => day % (user + 1) === 0).flatMap((day) => {
        const visitMs = nowMs - (day + 1) * DAY_MS;
        const at = (minutes: number) => ({ userId, companyId: tenant, createdAt: new Date(visitMs + minutes * MINUTE_MS) });
        const visit: EventInput[] = [{ name: "page_view", url: `https://app.example${pages[(day + user) % pages.length]}`, ...at(0) }];
        const metadata = { report: reports[day % reports.length] };
        if (user < users.length - 1 && day % 2 === 0) visit.push({ name: "report_opened", metadata, ...at(1) });
        if (user === 0 && day % 4 === 0) visit.push({ name: "report_shared", metadata, ...at(2) });
        return visit;
      }),
    );
  });
}
