import type { TopCompanies } from "../plan/answers.js";

type CompanyNames = Pick<TopCompanies["companies"][number], "companyId" | "name" | "domain">;

const hostName = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i;

/** The name and domain of a company: from its traits, else from its id; an id that is a host name is its domain too. */
export function companyNames(companyId: string, traits: Readonly<Record<string, unknown>>): CompanyNames {
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);
  return {
    companyId,
    name: text(traits.name) ?? companyId,
    domain: text(traits.domain) ?? (hostName.test(companyId) ? companyId : null),
  };
}
