import { DaybookError, type CountEventsInput, type Daybook } from "daybook";
import { failure } from "../query/reports/layouts.js";
import { example } from "./example.js";

const count = (input?: CountEventsInput) => (daybook: Daybook) => daybook.countEvents(input);

/** A question about the events on which one filter is true. */
const where = (fieldName: string, operator: string, value?: unknown) => count({ filterGroups: [{ filters: [{ fieldName, operator, value }] }] });

/** Code and parameter of the error that a question ends with. */
const refused = (ask: (daybook: Daybook) => Promise<unknown>) => (daybook: Daybook) =>
  ask(daybook).then(
    () => "an answer",
    (error: unknown) => (error instanceof DaybookError ? [error.code, error.details.param] : error),
  );

example(
  "Every event counts, whoever sent it.",
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
  "The count is 0 where no event has the name.",
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
  "An event that names no project belongs to the project default.",
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
  "A date alone starts at midnight UTC, and as the end it lasts through its last millisecond.",
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
  "Digits below the millisecond are cut off, so this range is the one millisecond 09:00:00.000.",
  `
  03-02 09:00:00.000 ann ping
  03-02 09:00:00.001 ann ping
  `,
  count({ startDate: "2026-03-02T09:00:00.0009Z", endDate: "2026-03-02T09:00:00.0009Z" }),
  1,
);

example(
  "A time with an offset is the instant that it names: 01:00 at +02:00 is 23:00 UTC of the day before.",
  `
  03-01 22:59 ann ping
  03-01 23:00 ann ping
  03-02 00:30 ann ping
  `,
  count({ startDate: "2026-03-02T01:00:00+02:00" }),
  2,
);

example(
  "A Date object is a time to the millisecond.",
  `
  03-02 09:00 ann ping
  03-02 09:01 ann ping
  `,
  count({ endDate: new Date("2026-03-02T09:00:59.999Z") }),
  1,
);

example(
  "Without dates the count has no bounds.",
  `
  1999-12-31 09:00 ann ping
  2025-12-31 09:00 ann ping
  03-20 11:59 ann ping
  `,
  count({}),
  3,
);

example(
  "A member that is null is the same as an absent one.",
  `
  03-02 09:00 ann ping
  03-03 09:00 bob ping project=web
  `,
  count({ project: null, eventName: null, userId: null, startDate: null, endDate: null, filterGroups: null, segments: null }),
  2,
);

example(
  "The parameter userId counts all events of the person, also those of the device before the sign-up.",
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
  "The filter user_id sees the id of the event as it was sent.",
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
  "The parameter userId finds a person by an anonymous id as well.",
  `
  03-02 09:00 ~phone /home
  03-02 09:05 ann~phone signup
  03-02 09:10 ann buy
  `,
  count({ userId: "phone" }),
  3,
);

example(
  "The parameter userId looks for a user id first, and for an anonymous id of the same text only after that.",
  `
  03-02 09:00 kiosk signup
  03-02 09:05 ~kiosk /home
  03-02 09:10 ~kiosk /docs
  `,
  count({ userId: "kiosk" }),
  1,
);

example(
  "A user id that nobody has counts 0.",
  `
  03-02 09:00 ann signup
  `,
  count({ userId: "bob" }),
  0,
);

example(
  "After an alias the old id counts the events of both ids.",
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
  "Of the filters in one group, all must be true.",
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
  "Of several groups, one must be true.",
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
  "The event name, the user, the project, the dates and the groups must all hold.",
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
  "An empty list of groups is no constraint.",
  `
  03-02 09:00 ann signup plan=pro
  03-02 09:05 bob signup
  `,
  count({ filterGroups: [] }),
  2,
);

example(
  "A group without filters is dropped, so that it does not let everything through.",
  `
  03-02 09:00 ann signup plan=pro
  03-02 09:05 bob signup
  `,
  count({ filterGroups: [{ filters: [] }, { filters: [{ fieldName: "plan", operator: "=", value: "pro" }] }] }),
  1,
);

example(
  "Texts are equal if every character is, with case and spaces.",
  `
  03-02 09:00 ann signup plan=pro
  03-02 09:05 bob signup plan=Pro
  03-02 09:10 cleo signup plan="pro "
  `,
  where("plan", "=", "pro"),
  1,
);

example(
  "The operator != is also true on events that do not have the key.",
  `
  03-02 09:00 ann signup plan=pro
  03-02 09:05 bob signup plan=free
  03-02 09:10 cleo signup
  `,
  where("plan", "!=", "pro"),
  2,
);

example(
  "A missing key, null, an empty text, an empty list and a list of nothing are all not set.",
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
  "The operator is_set ignores its value, and an object is set.",
  `
  03-02 09:00 ann signup plan=pro
  03-02 09:05 bob signup plan={"name":"pro"}
  03-02 09:10 cleo signup
  `,
  where("plan", "is_set", "free"),
  2,
);

example(
  "Equality with the empty text means that there is no value.",
  `
  03-02 09:00 ann signup plan=pro
  03-02 09:05 bob signup plan=null
  03-02 09:10 cleo signup
  `,
  where("plan", "=", ""),
  2,
);

example(
  "A list equals a value if one of its elements does.",
  `
  03-02 09:00 ann tag colors=["red","blue"]
  03-02 09:05 bob tag colors=["blue"]
  03-02 09:10 cleo tag colors=red
  `,
  where("colors", "=", "red"),
  2,
);

example(
  "A negated operator is true on a list of which no element matches.",
  `
  03-02 09:00 ann tag colors=["red","blue"]
  03-02 09:05 bob tag colors=["blue","green"]
  03-02 09:10 cleo tag
  `,
  where("colors", "!=", "red"),
  2,
);

example(
  "A number equals every way to write it, a text only itself.",
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
  "An object equals nothing, not even its own JSON.",
  `
  03-02 09:00 ann signup plan={"name":"pro"}
  03-02 09:05 bob signup plan=pro
  `,
  async (daybook) => [await where("plan", "=", '{"name":"pro"}')(daybook), await where("plan", "=", "pro")(daybook)],
  [0, 1],
);

example(
  "The operator in takes a text with commas: its items are trimmed, and empty ones dropped.",
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
  "A backslash keeps the comma behind it in the item of a list.",
  `
  03-02 09:00 ann visit city="Paris, Texas"
  03-02 09:05 bob visit city=Paris
  03-02 09:10 cleo visit city=Rome
  `,
  where("city", "in", "Paris\\, Texas,Rome"),
  2,
);

example(
  "In a JSON list the empty text stands for events without the value.",
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
  "For the operator = a comma is an ordinary character.",
  `
  03-02 09:00 ann visit city="Paris, Texas"
  03-02 09:05 bob visit city=Paris
  `,
  where("city", "=", "Paris, Texas"),
  1,
);

example(
  "The operator contains ignores the case of both sides.",
  `
  03-02 09:00 ann search query="Blue Shoes"
  03-02 09:05 bob search query=SHOELACE
  03-02 09:10 cleo search query=hats
  `,
  where("query", "contains", "shoE"),
  2,
);

example(
  "The operator not_contains is true on events without the value.",
  `
  03-02 09:00 ann search query="blue shoes"
  03-02 09:05 bob search query=hats
  03-02 09:10 cleo search
  `,
  where("query", "not_contains", "shoe"),
  2,
);

example(
  "Text operators read a number as its JSON text.",
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
  "A regular expression may match anywhere and minds the case.",
  `
  03-02 09:00 ann load file=report-17.csv
  03-02 09:05 bob load file=REPORT-18.csv
  03-02 09:10 cleo load file=notes.csv
  `,
  where("file", "regex", "report-\\d"),
  1,
);

example(
  "A regular expression ignores the case after (?i).",
  `
  03-02 09:00 ann load file=report-17.csv
  03-02 09:05 bob load file=REPORT-18.csv
  03-02 09:10 cleo load file=notes.csv
  `,
  where("file", "regex", "(?i)report-\\d"),
  2,
);

example(
  "Ordered operators compare numbers, also numbers written as text, and never letters.",
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
  "An event without a number is neither below a bound nor above it.",
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
  "A date as the bound of > spans its whole day.",
  `
  03-02 09:00 ann task due=2026-03-05T00:00:00Z
  03-02 09:05 bob task due=2026-03-05T23:59:59Z
  03-02 09:10 cleo task due=2026-03-06T00:00:00Z
  `,
  where("due", ">", "2026-03-05"),
  1,
);

example(
  "A date as the bound of <= includes its whole day, whatever the offset of a time.",
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
  "Both bounds of between belong to it.",
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
  "Nothing lies between a greater and a smaller bound.",
  `
  03-02 09:00 ann order items=3
  `,
  async (daybook) => [await where("items", "between", "4,2")(daybook), await where("items", "between", "2,4")(daybook)],
  [0, 1],
);

example(
  "The operator not_between is the complement of between, also where there is no number.",
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
  "An operator may be written by another of its names, in any case and between spaces.",
  `
  03-02 09:00 ann signup plan=pro
  03-02 09:05 bob signup plan=free
  `,
  where("plan", " EQ ", "pro"),
  1,
);

example(
  "The field path is the url up to its first ? or #.",
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
  "The field utm_source is the metadata key, not the query of the url.",
  `
  03-02 09:00 ann landing utm_source=mail
  03-02 09:05 bob /home?utm_source=mail
  `,
  where("utm_source", "=", "mail"),
  1,
);

example(
  "A path with dots walks into an object.",
  `
  03-02 09:00 ann signup shop={"plan":{"name":"pro"}}
  03-02 09:05 bob signup shop={"plan":"pro"}
  `,
  where("metadata.shop.plan.name", "=", "pro"),
  1,
);

example(
  "A key that is literally spelled with the dot goes before the walk, even if it is null.",
  `
  03-02 09:00 ann signup shop={"plan":"pro"}
  03-02 09:05 bob signup shop={"plan":"pro"} shop.plan=null
  03-02 09:10 cleo signup shop={"plan":"free"} shop.plan=pro
  `,
  where("metadata.shop.plan", "=", "pro"),
  2,
);

example(
  "A walk does not enter lists by number.",
  `
  03-02 09:00 ann signup plans=["pro","free"]
  `,
  async (daybook) => [await where("metadata.plans.0", "=", "pro")(daybook), await where("metadata.plans", "=", "pro")(daybook)],
  [0, 1],
);

example(
  "A bare name that is a field reads the field, and metadata.name reads the metadata key.",
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
  "An event without user and anonymous id has no identity.",
  `
  03-02 09:00 ann ping
  03-02 09:05 ~phone ping
  03-02 09:10 - ping
  `,
  where("identity_id", "is_not_set"),
  1,
);

example(
  "The first company of a person reaches back to the events before.",
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
  "A company on the event itself wins over the company of the person.",
  `
  03-05 09:00 ann group:acme
  03-06 09:00 ann /docs
  03-07 09:00 ann /docs company=globex
  `,
  where("company_id", "=", "globex"),
  1,
);

example(
  "A company on one event makes the person a member, for the events before and after it.",
  `
  03-01 09:00 ann /home
  03-02 09:00 ann /docs company=globex
  03-03 09:00 ann /home
  `,
  where("company_id", "=", "globex"),
  3,
);

example(
  "A trait of the person holds for all events, also for those before it was known.",
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
  "A trait of the company holds for all events of its members.",
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
  "The first touch of a person marks the events from that touch on.",
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
  "The last touch of a person marks the events up to the next touch.",
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
  "Two payments of one order are two events, although only one of them is revenue.",
  `
  03-02 09:00 ann Payment order=o1 value=10
  03-02 09:05 ann Payment order=o1 value=10
  `,
  count({ eventName: "Payment" }),
  2,
);

example(
  "An event more than five minutes ahead of the clock is dated at its receipt, at 12:00.",
  `
  03-20 12:05:00.000 ann ping
  03-20 12:05:00.001 bob ping
  04-01 09:00 cleo ping
  `,
  count({ startDate: "2026-03-20T12:00:00Z", endDate: "2026-03-20T12:00:00Z" }),
  2,
);

example(
  "A member that the query does not have is refused.",
  "",
  refused((daybook) => daybook.countEvents({ timeZone: "UTC" } as CountEventsInput)),
  ["unknown_parameter", "timeZone"],
);

example("An operator that nobody knows is refused.", "", refused(where("plan", "like", "pro")), [
  "invalid_operator",
  "filterGroups[0].filters[0].operator",
]);

example("An empty field name is refused.", "", refused(where("", "=", "pro")), ["invalid_parameter", "filterGroups[0].filters[0].fieldName"]);

example("An ordered operator refuses a bound that is neither a number nor a date.", "", refused(where("items", ">", "many")), [
  "invalid_filter_value",
  "filterGroups[0].filters[0].value",
]);

example("A text operator refuses the empty text.", "", refused(where("plan", "contains", "")), [
  "invalid_filter_value",
  "filterGroups[0].filters[0].value",
]);

example("An operator that needs a value refuses to go without.", "", refused(where("plan", "=")), [
  "invalid_filter_value",
  "filterGroups[0].filters[0].value",
]);

example("A list of nothing is refused.", "", refused(where("plan", "in", " , ")), ["invalid_filter_value", "filterGroups[0].filters[0].value"]);

example("A regular expression with a back-reference is refused.", "", refused(where("plan", "regex", "(a)\\1")), [
  "invalid_regex",
  "filterGroups[0].filters[0].value",
]);

example("Only the field identity_id has segments.", "", refused(where("plan", "in_segment", "buyers")), [
  "invalid_operator",
  "filterGroups[0].filters[0].operator",
]);

example("A segment that nobody defined is refused.", "", refused(where("identity_id", "in_segment", "buyers")), [
  "invalid_filter_value",
  "filterGroups[0].filters[0].value",
]);

example("A date that the calendar does not have is refused.", "", refused(count({ startDate: "2026-02-30" })), ["invalid_date", "startDate"]);

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
  "More than 100 filters are refused, whatever their groups.",
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

example("The operator between needs two bounds.", "", refused(where("items", "between", "3")), [
  "invalid_filter_value",
  "filterGroups[0].filters[0].value",
]);

example("A year before 1970 is refused.", "", refused(count({ startDate: "1969-12-31" })), ["invalid_date", "startDate"]);
