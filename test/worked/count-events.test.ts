import type { CountEventsInput, Daybook } from "daybook";
import { failure } from "../query/reports/layouts.js";
import { example, refusal } from "./example.js";

const count = (input?: CountEventsInput) => (daybook: Daybook) => daybook.countEvents(input);

/** Counts the events that match one filter. */
const where = (fieldName: string, operator: string, value?: unknown) => count({ filterGroups: [{ filters: [{ fieldName, operator, value }] }] });

/** The code and parameter of the error that refuses the query. */
const refused = (ask: (daybook: Daybook) => Promise<unknown>) => (daybook: Daybook) => refusal(ask(daybook));

example(
  "Every event counts, with or without an identity.",
  `
  03-02 09:00 ann signup
  03-02 09:05 ann signup
  03-02 09:10 ~phone /home
  03-02 09:15 - ping
  `,
  count(),
  4,
);

example("A store without events counts 0.", "", count(), 0);

example(
  "The count is 0 if no event has the name.",
  `
  03-02 09:00 ann signup
  `,
  count({ eventName: "buy" }),
  0,
);

example(
  "An event name is compared exactly, including its case.",
  `
  03-02 09:00 ann signup
  03-02 09:05 bob Signup
  03-02 09:10 cleo "signup later"
  `,
  count({ eventName: "signup" }),
  1,
);

example(
  "A project narrows the count to its own events.",
  `
  03-02 09:00 ann signup project=web
  03-02 09:05 bob signup project=web
  03-02 09:10 cleo signup project=app
  `,
  count({ project: "web" }),
  2,
);

example(
  "An event without a project belongs to the project default.",
  `
  03-02 09:00 ann signup
  03-02 09:05 bob signup project=web
  `,
  count({ project: "default" }),
  1,
);

example(
  "Without a project the events of all projects count.",
  `
  03-02 09:00 ann signup project=web
  03-02 09:05 bob signup project=app
  03-02 09:10 cleo signup
  `,
  count({ eventName: "signup" }),
  3,
);

example(
  "A start date begins at midnight UTC, and an end date includes its last millisecond.",
  `
  03-01 23:59:59.999 ann ping
  03-02 00:00:00.000 ann ping
  03-03 23:59:59.999 ann ping
  03-04 00:00:00.000 ann ping
  `,
  count({ startDate: "2026-03-02", endDate: "2026-03-03" }),
  2,
);

example(
  "Start and end times are inclusive.",
  `
  03-02 08:59:59.999 ann ping
  03-02 09:00:00.000 ann ping
  03-02 10:00:00.000 ann ping
  03-02 10:00:00.001 ann ping
  `,
  count({ startDate: "2026-03-02T09:00:00Z", endDate: "2026-03-02T10:00:00Z" }),
  2,
);

example(
  "Digits below the millisecond are truncated.",
  `
  03-02 09:00:00.000 ann ping
  03-02 09:00:00.001 ann ping
  `,
  count({ startDate: "2026-03-02T09:00:00.0009Z", endDate: "2026-03-02T09:00:00.0009Z" }),
  1,
);

example(
  "A time with an offset is converted to UTC: 01:00 at +02:00 is 23:00 UTC of the day before.",
  `
  03-01 22:59 ann ping
  03-01 23:00 ann ping
  03-02 00:30 ann ping
  `,
  count({ startDate: "2026-03-02T01:00:00+02:00" }),
  2,
);

example(
  "A Date object is an instant with millisecond precision.",
  `
  03-02 09:00 ann ping
  03-02 09:01 ann ping
  `,
  count({ endDate: new Date("2026-03-02T09:00:59.999Z") }),
  1,
);

example(
  "Without dates, the range is unlimited.",
  `
  1999-12-31 09:00 ann ping
  2025-12-31 09:00 ann ping
  03-20 11:59 ann ping
  `,
  count({}),
  3,
);

example(
  "A null member is treated as absent.",
  `
  03-02 09:00 ann ping
  03-03 09:00 bob ping project=web
  `,
  count({ project: null, eventName: null, userId: null, startDate: null, endDate: null, filterGroups: null, segments: null }),
  2,
);

example(
  "The parameter userId counts all of the person's events, including those of the device before the sign-up.",
  `
  03-02 09:00 ~phone /home
  03-02 09:05 ann~phone signup
  03-02 09:10 ann buy
  03-02 09:15 bob buy
  `,
  count({ userId: "ann" }),
  3,
);

example(
  "The filter user_id compares the id as sent with the event.",
  `
  03-02 09:00 ~phone /home
  03-02 09:05 ann~phone signup
  03-02 09:10 ann buy
  03-02 09:15 bob buy
  `,
  where("user_id", "=", "ann"),
  2,
);

example(
  "The parameter userId also accepts an anonymous id.",
  `
  03-02 09:00 ~phone /home
  03-02 09:05 ann~phone signup
  03-02 09:10 ann buy
  `,
  count({ userId: "phone" }),
  3,
);

example(
  "The parameter userId prefers a user id to an anonymous id with the same text.",
  `
  03-02 09:00 kiosk signup
  03-02 09:05 ~kiosk /home
  03-02 09:10 ~kiosk /docs
  `,
  count({ userId: "kiosk" }),
  1,
);

example(
  "An unknown user id counts 0.",
  `
  03-02 09:00 ann signup
  `,
  count({ userId: "bob" }),
  0,
);

example(
  "After an alias, the old id counts the events of both ids.",
  `
  03-02 09:00 annie signup
  03-02 09:05 ann buy
  03-02 09:10 ann buy
  03-05 09:00 annie alias:ann
  `,
  count({ userId: "annie" }),
  3,
);

example(
  "All filters of a group must match.",
  `
  03-02 09:00 ann signup plan=pro country=DE
  03-02 09:05 bob signup plan=pro country=FR
  03-02 09:10 cleo signup plan=free country=DE
  `,
  count({
    filterGroups: [
      {
        filters: [
          { fieldName: "plan", operator: "=", value: "pro" },
          { fieldName: "country", operator: "=", value: "DE" },
        ],
      },
    ],
  }),
  1,
);

example(
  "At least one group must match.",
  `
  03-02 09:00 ann signup plan=pro country=DE
  03-02 09:05 bob signup plan=pro country=FR
  03-02 09:10 cleo signup plan=free country=DE
  03-02 09:15 dora signup plan=free country=FR
  `,
  count({
    filterGroups: [
      { filters: [{ fieldName: "plan", operator: "=", value: "pro" }] },
      { filters: [{ fieldName: "country", operator: "=", value: "DE" }] },
    ],
  }),
  3,
);

example(
  "The event name, user, project, dates and filter groups must all match.",
  `
  03-02 09:00 ann buy project=web plan=pro
  03-02 09:05 ann buy project=web plan=free
  03-02 09:10 ann buy project=app plan=pro
  03-02 09:15 ann view project=web plan=pro
  03-02 09:20 bob buy project=web plan=pro
  03-09 09:00 ann buy project=web plan=pro
  `,
  count({
    project: "web",
    eventName: "buy",
    userId: "ann",
    startDate: "2026-03-01",
    endDate: "2026-03-08",
    filterGroups: [{ filters: [{ fieldName: "plan", operator: "=", value: "pro" }] }],
  }),
  1,
);

example(
  "An empty list of groups has no effect.",
  `
  03-02 09:00 ann signup plan=pro
  03-02 09:05 bob signup
  `,
  count({ filterGroups: [] }),
  2,
);

example(
  "A group without filters is ignored; it does not match every event.",
  `
  03-02 09:00 ann signup plan=pro
  03-02 09:05 bob signup
  `,
  count({ filterGroups: [{ filters: [] }, { filters: [{ fieldName: "plan", operator: "=", value: "pro" }] }] }),
  1,
);

example(
  "Texts are compared exactly, including case and spaces.",
  `
  03-02 09:00 ann signup plan=pro
  03-02 09:05 bob signup plan=Pro
  03-02 09:10 cleo signup plan="pro "
  `,
  where("plan", "=", "pro"),
  1,
);

example(
  "The operator != matches events without the key.",
  `
  03-02 09:00 ann signup plan=pro
  03-02 09:05 bob signup plan=free
  03-02 09:10 cleo signup
  `,
  where("plan", "!=", "pro"),
  2,
);

example(
  "A missing key, null, an empty string, an empty list and a list of null or empty elements are all not set.",
  `
  03-02 09:00 ann signup
  03-02 09:05 ann signup plan=null
  03-02 09:10 ann signup plan=""
  03-02 09:15 ann signup plan=[]
  03-02 09:20 ann signup plan=[null,""]
  03-02 09:25 ann signup plan=false
  03-02 09:30 ann signup plan=0
  `,
  where("plan", "is_not_set"),
  5,
);

example(
  "The operator is_set ignores its value and matches objects.",
  `
  03-02 09:00 ann signup plan=pro
  03-02 09:05 bob signup plan={"name":"pro"}
  03-02 09:10 cleo signup
  `,
  where("plan", "is_set", "free"),
  2,
);

example(
  "Equality with the empty string matches events without a value.",
  `
  03-02 09:00 ann signup plan=pro
  03-02 09:05 bob signup plan=null
  03-02 09:10 cleo signup
  `,
  where("plan", "=", ""),
  2,
);

example(
  "A list equals a value if any element does.",
  `
  03-02 09:00 ann tag colors=["red","blue"]
  03-02 09:05 bob tag colors=["blue"]
  03-02 09:10 cleo tag colors=red
  `,
  where("colors", "=", "red"),
  2,
);

example(
  "A negated operator matches a list if no element matches.",
  `
  03-02 09:00 ann tag colors=["red","blue"]
  03-02 09:05 bob tag colors=["blue","green"]
  03-02 09:10 cleo tag
  `,
  where("colors", "!=", "red"),
  2,
);

example(
  "A number equals every notation of that number, while a text equals only itself.",
  `
  03-02 09:00 ann order items=3
  03-02 09:05 bob order items="3"
  03-02 09:10 cleo order items="3.0"
  `,
  where("items", "=", "3.0"),
  2,
);

example(
  "A boolean equals the text of its name.",
  `
  03-02 09:00 ann signup vip=true
  03-02 09:05 bob signup vip="true"
  03-02 09:10 cleo signup vip=false
  `,
  where("vip", "=", true),
  2,
);

example(
  "An object equals no value, not even its own JSON.",
  `
  03-02 09:00 ann signup plan={"name":"pro"}
  03-02 09:05 bob signup plan=pro
  `,
  async (daybook) => [await where("plan", "=", '{"name":"pro"}')(daybook), await where("plan", "=", "pro")(daybook)],
  [0, 1],
);

example(
  "The operator in splits a text at commas, trims the items and drops empty ones.",
  `
  03-02 09:00 ann signup plan=pro
  03-02 09:05 bob signup plan=free
  03-02 09:10 cleo signup plan=team
  03-02 09:15 dora signup
  `,
  where("plan", "in", "pro, free,"),
  2,
);

example(
  "A backslash escapes a comma in a list item.",
  `
  03-02 09:00 ann visit city="Paris, Texas"
  03-02 09:05 bob visit city=Paris
  03-02 09:10 cleo visit city=Rome
  `,
  where("city", "in", "Paris\\, Texas,Rome"),
  2,
);

example(
  "An empty string in a JSON list matches events without a value.",
  `
  03-02 09:00 ann signup plan=pro
  03-02 09:05 bob signup plan=free
  03-02 09:10 cleo signup
  `,
  where("plan", "in", '["pro",""]'),
  2,
);

example(
  "The operator not_in is the complement of in.",
  `
  03-02 09:00 ann signup plan=pro
  03-02 09:05 bob signup plan=free
  03-02 09:10 cleo signup plan=team
  03-02 09:15 dora signup
  `,
  where("plan", "not_in", ["pro", "free"]),
  2,
);

example(
  "The operator = treats a comma as an ordinary character.",
  `
  03-02 09:00 ann visit city="Paris, Texas"
  03-02 09:05 bob visit city=Paris
  `,
  where("city", "=", "Paris, Texas"),
  1,
);

example(
  "The operator contains is not case-sensitive.",
  `
  03-02 09:00 ann search query="Blue Shoes"
  03-02 09:05 bob search query=SHOELACE
  03-02 09:10 cleo search query=hats
  `,
  where("query", "contains", "shoE"),
  2,
);

example(
  "The operator not_contains matches events without the value.",
  `
  03-02 09:00 ann search query="blue shoes"
  03-02 09:05 bob search query=hats
  03-02 09:10 cleo search
  `,
  where("query", "not_contains", "shoe"),
  2,
);

example(
  "Text operators treat a number as its JSON text.",
  `
  03-02 09:00 ann visit zip=10115
  03-02 09:05 bob visit zip="10117"
  03-02 09:10 cleo visit zip=20095
  `,
  where("zip", "starts_with", "101"),
  2,
);

example(
  "The operator ends_with looks at the end of the value only.",
  `
  03-02 09:00 ann load file=a.PDF
  03-02 09:05 bob load file=pdf.txt
  `,
  where("file", "ends_with", ".pdf"),
  1,
);

example(
  "A regular expression may match anywhere and is case-sensitive.",
  `
  03-02 09:00 ann load file=report-17.csv
  03-02 09:05 bob load file=REPORT-18.csv
  03-02 09:10 cleo load file=notes.csv
  `,
  where("file", "regex", "report-\\d"),
  1,
);

example(
  "The prefix (?i) makes a regular expression case-insensitive.",
  `
  03-02 09:00 ann load file=report-17.csv
  03-02 09:05 bob load file=REPORT-18.csv
  03-02 09:10 cleo load file=notes.csv
  `,
  where("file", "regex", "(?i)report-\\d"),
  2,
);

example(
  "Ordered operators compare numbers, including numeric text, and do not match words.",
  `
  03-02 09:00 ann order items=10
  03-02 09:05 bob order items="10"
  03-02 09:10 cleo order items=9
  03-02 09:15 dora order items=many
  `,
  where("items", ">", "9"),
  2,
);

example(
  "An event without a number is neither below nor above a numeric bound.",
  `
  03-02 09:00 ann order items=1
  03-02 09:05 bob order items=many
  03-02 09:10 cleo order
  03-02 09:15 dora order items=5
  `,
  where("items", "<", 3),
  1,
);

example(
  "With >, a date excludes its whole day.",
  `
  03-02 09:00 ann task due=2026-03-05T00:00:00Z
  03-02 09:05 bob task due=2026-03-05T23:59:59Z
  03-02 09:10 cleo task due=2026-03-06T00:00:00Z
  `,
  where("due", ">", "2026-03-05"),
  1,
);

example(
  "With <=, a date includes its whole day, and the offset of the compared time is respected.",
  `
  03-02 09:00 ann task due=2026-03-05T23:59:59Z
  03-02 09:05 bob task due=2026-03-06T00:30:00+01:00
  03-02 09:10 cleo task due=2026-03-06T00:00:00Z
  `,
  where("due", "<=", "2026-03-05"),
  2,
);

example(
  "The field created_at is the time of the event.",
  `
  03-02 23:59:59.999 ann ping
  03-03 00:00:00.000 ann ping
  `,
  where("created_at", ">=", "2026-03-03"),
  1,
);

example(
  "The operator between includes both bounds.",
  `
  03-02 09:00 ann order items=1
  03-02 09:05 bob order items=2
  03-02 09:10 cleo order items=4
  03-02 09:15 dora order items=5
  `,
  where("items", "between", "2,4"),
  2,
);

example(
  "The operator between matches nothing if the first bound is greater than the second.",
  `
  03-02 09:00 ann order items=3
  `,
  async (daybook) => [await where("items", "between", "4,2")(daybook), await where("items", "between", "2,4")(daybook)],
  [0, 1],
);

example(
  "The operator not_between is the complement of between and matches events without a number.",
  `
  03-02 09:00 ann order items=1
  03-02 09:05 bob order items=3
  03-02 09:10 cleo order items=many
  03-02 09:15 dora order
  `,
  where("items", "not_between", "2,4"),
  3,
);

example(
  "Operators have aliases, and case and surrounding spaces are ignored.",
  `
  03-02 09:00 ann signup plan=pro
  03-02 09:05 bob signup plan=free
  `,
  where("plan", " EQ ", "pro"),
  1,
);

example(
  "The field path is the url up to the first ? or #.",
  `
  03-02 09:00 ann /pricing
  03-02 09:05 bob /pricing?plan=pro
  03-02 09:10 cleo /pricing#top
  03-02 09:15 dora /pricing/team
  `,
  where("path", "=", "/pricing"),
  3,
);

example(
  "The field referrer_domain is the host of the referrer without www.",
  `
  03-02 09:00 ann /home referrer=https://www.news.example/a
  03-02 09:05 bob /home referrer=https://news.example/b?c=1
  03-02 09:10 cleo /home referrer=https://blog.news.example/
  03-02 09:15 dora /home
  `,
  where("referrer_domain", "=", "news.example"),
  2,
);

example(
  "The field utm_source is the metadata key, not the query parameter of the url.",
  `
  03-02 09:00 ann landing utm_source=mail
  03-02 09:05 bob /home?utm_source=mail
  `,
  where("utm_source", "=", "mail"),
  1,
);

example(
  "A path with dots reads a nested object.",
  `
  03-02 09:00 ann signup shop={"plan":{"name":"pro"}}
  03-02 09:05 bob signup shop={"plan":"pro"}
  `,
  where("metadata.shop.plan.name", "=", "pro"),
  1,
);

example(
  "A key that contains the dot literally takes precedence over a nested object, even if its value is null.",
  `
  03-02 09:00 ann signup shop={"plan":"pro"}
  03-02 09:05 bob signup shop={"plan":"pro"} shop.plan=null
  03-02 09:10 cleo signup shop={"plan":"free"} shop.plan=pro
  `,
  where("metadata.shop.plan", "=", "pro"),
  2,
);

example(
  "A path cannot address a list element by index.",
  `
  03-02 09:00 ann signup plans=["pro","free"]
  `,
  async (daybook) => [await where("metadata.plans.0", "=", "pro")(daybook), await where("metadata.plans", "=", "pro")(daybook)],
  [0, 1],
);

example(
  "A bare field name reads the field, and metadata.name reads the metadata key.",
  `
  03-02 09:00 ann upload name=photo
  03-02 09:05 bob photo
  `,
  where("metadata.name", "=", "photo"),
  1,
);

example(
  "The field event_name is the name of the event.",
  `
  03-02 09:00 ann upload name=photo
  03-02 09:05 bob photo
  03-02 09:10 cleo photo
  `,
  where("event_name", "=", "photo"),
  2,
);

example(
  "The short name country and the long name location_country are the same field.",
  `
  03-02 09:00 ann /home country=DE
  03-02 09:05 bob /home country=FR
  `,
  count({
    filterGroups: [
      {
        filters: [
          { fieldName: "country", operator: "=", value: "DE" },
          { fieldName: "location_country", operator: "=", value: "DE" },
        ],
      },
    ],
  }),
  1,
);

example(
  "An event with neither a user id nor an anonymous id has no identity.",
  `
  03-02 09:00 ann ping
  03-02 09:05 ~phone ping
  03-02 09:10 - ping
  `,
  where("identity_id", "is_not_set"),
  1,
);

example(
  "A person's first company also applies to earlier events.",
  `
  03-01 09:00 ann /home
  03-05 09:00 ann group:acme
  03-06 09:00 ann /docs
  03-06 09:05 bob /docs
  `,
  where("company_id", "=", "acme"),
  2,
);

example(
  "A company on an event overrides the person's company.",
  `
  03-05 09:00 ann group:acme
  03-06 09:00 ann /docs
  03-07 09:00 ann /docs company=globex
  `,
  where("company_id", "=", "globex"),
  1,
);

example(
  "A company on an event makes the person a member and applies to earlier and later events.",
  `
  03-01 09:00 ann /home
  03-02 09:00 ann /docs company=globex
  03-03 09:00 ann /home
  `,
  where("company_id", "=", "globex"),
  3,
);

example(
  "A person's trait applies to all of the person's events, including earlier ones.",
  `
  03-01 09:00 ann signup
  03-05 09:00 ann identify plan=free
  03-10 09:00 ann identify plan=pro
  03-12 09:00 ann buy
  03-12 09:05 bob buy
  `,
  where("person.plan", "=", "pro"),
  2,
);

example(
  "A company's trait applies to all events of its members.",
  `
  03-01 09:00 ann signup
  03-05 09:00 ann group:acme tier=gold
  03-06 09:00 bob group:globex tier=silver
  03-07 09:00 ann buy
  03-07 09:05 bob buy
  `,
  where("company.tier", "=", "gold"),
  2,
);

example(
  "A person's first touch applies to that event and all later events.",
  `
  03-01 09:00 ann /home
  03-02 09:00 ann /home?utm_source=mail
  03-03 09:00 ann /home?utm_source=ads
  03-04 09:00 ann buy
  `,
  where("first_touch.source", "=", "mail"),
  3,
);

example(
  "A person's last touch applies to events until the next touch.",
  `
  03-01 09:00 ann /home
  03-02 09:00 ann /home?utm_source=mail
  03-03 09:00 ann /home?utm_source=ads
  03-04 09:00 ann buy
  `,
  where("last_touch.source", "=", "mail"),
  1,
);

example(
  "A segment selects all events of the people in it.",
  `
  03-02 09:00 ann buy
  03-02 09:05 ann buy
  03-02 09:10 ann view
  03-02 09:15 bob buy
  03-02 09:20 bob view
  `,
  count({
    filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "loyal" }] }],
    segments: { loyal: { groups: [{ conditions: [{ type: "did", eventName: "buy", atLeast: 2 }] }] } },
  }),
  3,
);

example(
  "Events without an identity are in no segment, so not_in_segment counts them.",
  `
  03-02 09:00 ann buy
  03-02 09:05 bob view
  03-02 09:10 - view
  `,
  count({
    filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "not_in_segment", value: "buyers" }] }],
    segments: { buyers: { groups: [{ conditions: [{ type: "did", eventName: "buy" }] }] } },
  }),
  2,
);

example(
  "An event that is sent twice with the same id counts once.",
  `
  03-02 09:00 ann buy id=e1
  03-02 09:00 ann buy id=e1
  03-02 09:00 ann buy id=e2
  `,
  count(),
  2,
);

example(
  "The same id in two projects is two events.",
  `
  03-02 09:00 ann buy id=e1 project=web
  03-02 09:00 ann buy id=e1 project=app
  `,
  count(),
  2,
);

example(
  "Two payments for one order are two events, although only one counts as revenue.",
  `
  03-02 09:00 ann Payment order=o1 value=10
  03-02 09:05 ann Payment order=o1 value=10
  `,
  count({ eventName: "Payment" }),
  2,
);

example(
  "An event more than five minutes in the future is dated at its receipt, 12:00.",
  `
  03-20 12:05:00.000 ann ping
  03-20 12:05:00.001 bob ping
  04-01 09:00 cleo ping
  `,
  count({ startDate: "2026-03-20T12:00:00Z", endDate: "2026-03-20T12:00:00Z" }),
  2,
);

example(
  "An unknown member is refused.",
  "",
  refused((daybook) => daybook.countEvents({ timeZone: "UTC" } as CountEventsInput)),
  ["unknown_parameter", "timeZone"],
);

example("An unknown operator is refused.", "", refused(where("plan", "like", "pro")), [
  "invalid_operator",
  "filterGroups[0].filters[0].operator",
]);

example("An empty field name is refused.", "", refused(where("", "=", "pro")), ["invalid_parameter", "filterGroups[0].filters[0].fieldName"]);

example("An ordered operator requires a number or a date as its value.", "", refused(where("items", ">", "many")), [
  "invalid_filter_value",
  "filterGroups[0].filters[0].value",
]);

example("A text operator with an empty string is refused.", "", refused(where("plan", "contains", "")), [
  "invalid_filter_value",
  "filterGroups[0].filters[0].value",
]);

example("An operator that needs a value is refused without one.", "", refused(where("plan", "=")), [
  "invalid_filter_value",
  "filterGroups[0].filters[0].value",
]);

example("A list without items is refused.", "", refused(where("plan", "in", " , ")), ["invalid_filter_value", "filterGroups[0].filters[0].value"]);

example("A regular expression with a backreference is refused.", "", refused(where("plan", "regex", "(a)\\1")), [
  "invalid_regex",
  "filterGroups[0].filters[0].value",
]);

example("Only the field identity_id can be compared with a segment.", "", refused(where("plan", "in_segment", "buyers")), [
  "invalid_operator",
  "filterGroups[0].filters[0].operator",
]);

example("An undefined segment is refused.", "", refused(where("identity_id", "in_segment", "buyers")), [
  "invalid_filter_value",
  "filterGroups[0].filters[0].value",
]);

example("A date that does not exist is refused.", "", refused(count({ startDate: "2026-02-30" })), ["invalid_date", "startDate"]);

example("A time without a zone is refused.", "", refused(count({ endDate: "2026-03-02T09:00:00" })), ["invalid_date", "endDate"]);

example(
  "A start after the end is refused.",
  "",
  async (daybook) => (await failure(daybook.countEvents({ startDate: "2026-03-03", endDate: "2026-03-02" })))[0],
  "invalid_date_range",
);

example(
  "More than 20 groups of filters are refused.",
  "",
  async (daybook) => {
    const filterGroups = Array.from({ length: 21 }, () => ({ filters: [{ fieldName: "plan", operator: "is_set" }] }));
    return (await failure(daybook.countEvents({ filterGroups })))[0];
  },
  "too_many_filters",
);

example(
  "More than 100 filters in total are refused.",
  "",
  async (daybook) => {
    const filters = Array.from({ length: 51 }, () => ({ fieldName: "plan", operator: "is_set" }));
    return (await failure(daybook.countEvents({ filterGroups: [{ filters }, { filters }] })))[0];
  },
  "too_many_filters",
);

example("A filter value of more than 4,096 characters is refused.", "", refused(where("plan", "=", "x".repeat(4097))), [
  "invalid_filter_value",
  "filterGroups[0].filters[0].value",
]);

example("The operator between requires two bounds.", "", refused(where("items", "between", "3")), [
  "invalid_filter_value",
  "filterGroups[0].filters[0].value",
]);

example("A date before 1970 is refused.", "", refused(count({ startDate: "1969-12-31" })), ["invalid_date", "startDate"]);
