import type { AggregateInput, Daybook } from "daybook";
import { failure } from "../query/reports/layouts.js";
import { example, refusal } from "./example.js";

/** The value and count of each row. */
const rows = (input: AggregateInput) => async (daybook: Daybook) => (await daybook.aggregate(input)).map(({ property, count }) => [property, count]);

/** The code and parameter of the error that refuses the query. */
const refused = (input: AggregateInput) => (daybook: Daybook) => refusal(daybook.aggregate(input));

example(
  "Each value of the field has a row, and rows are sorted by count.",
  `
  03-02 09:00 ann visit country=FR
  03-02 09:05 bob visit country=DE
  03-02 09:10 cleo visit country=DE
  `,
  (daybook) => daybook.aggregate({ field: "location_country" }),
  [
    { property: "DE", count: 2 },
    { property: "FR", count: 1 },
  ],
);

example("A store without events has no rows.", "", (daybook) => daybook.aggregate({ field: "os" }), []);

example(
  "Rows with equal counts are sorted by code point: upper case, lower case, accented letters.",
  `
  03-02 09:00 ann visit city=Ähtäri
  03-02 09:05 ann visit city=aachen
  03-02 09:10 ann visit city=Zagreb
  03-02 09:15 ann visit city=Berlin
  `,
  rows({ field: "location_city" }),
  [
    ["Berlin", 1],
    ["Zagreb", 1],
    ["aachen", 1],
    ["Ähtäri", 1],
  ],
);

example(
  "An emoji sorts after the full-width letter Ａ because rows are compared by code point, not by UTF-16 unit.",
  `
  03-02 09:00 ann react with=😀
  03-02 09:05 ann react with=Ａ
  `,
  rows({ metadataField: "with" }),
  [
    ["Ａ", 1],
    ["😀", 1],
  ],
);

example(
  "Events without a value are counted in the row of the empty string, so the counts add up to all events.",
  `
  03-02 09:00 ann signup plan=pro
  03-02 09:05 bob signup
  03-02 09:10 cleo signup plan=null
  03-02 09:15 dora signup plan=""
  `,
  (daybook) => daybook.aggregate({ metadataField: "plan" }),
  [
    { property: "", count: 3 },
    { property: "pro", count: 1 },
  ],
);

example(
  "The empty string sorts first among rows with equal counts.",
  `
  03-02 09:00 ann visit os=macOS
  03-02 09:05 bob visit
  `,
  rows({ field: "os" }),
  [
    ["", 1],
    ["macOS", 1],
  ],
);

example(
  "A value keeps its case and spaces.",
  `
  03-02 09:00 ann signup plan=pro
  03-02 09:05 bob signup plan=Pro
  03-02 09:10 cleo signup plan="pro "
  `,
  rows({ metadataField: "plan" }),
  [
    ["Pro", 1],
    ["pro", 1],
    ["pro ", 1],
  ],
);

example(
  "A number shares a row with its JSON text, but not with other spellings.",
  `
  03-02 09:00 ann order items=3
  03-02 09:05 bob order items="3"
  03-02 09:10 cleo order items=3.0
  03-02 09:15 dora order items="3.0"
  `,
  rows({ metadataField: "items" }),
  [
    ["3", 3],
    ["3.0", 1],
  ],
);

example(
  "A boolean shares a row with the text of its name, and false counts as a value.",
  `
  03-02 09:00 ann signup vip=true
  03-02 09:05 bob signup vip="true"
  03-02 09:10 cleo signup vip=false
  03-02 09:15 dora signup
  `,
  rows({ metadataField: "vip" }),
  [
    ["true", 2],
    ["", 1],
    ["false", 1],
  ],
);

example(
  "Objects with the same members share a row, regardless of key order.",
  `
  03-02 09:00 ann order box={"w":2,"h":1}
  03-02 09:05 bob order box={"h":1,"w":2}
  03-02 09:10 cleo order box={"h":1,"w":3}
  `,
  rows({ metadataField: "box" }),
  [
    ['{"h":1,"w":2}', 2],
    ['{"h":1,"w":3}', 1],
  ],
);

example(
  "Keys are sorted in inner objects too.",
  `
  03-02 09:00 ann order box={"size":{"w":2,"h":1},"id":7}
  `,
  rows({ metadataField: "box" }),
  [['{"id":7,"size":{"h":1,"w":2}}', 1]],
);

example(
  "A list counts once for each distinct element.",
  `
  03-02 09:00 ann tag colors=["red","blue","red"]
  03-02 09:05 bob tag colors=["red"]
  03-02 09:10 cleo tag colors=red
  `,
  rows({ metadataField: "colors" }),
  [
    ["red", 3],
    ["blue", 1],
  ],
);

example(
  "A number and the same number as text are one element.",
  `
  03-02 09:00 ann pick sizes=[1,"1",2]
  `,
  rows({ metadataField: "sizes" }),
  [
    ["1", 1],
    ["2", 1],
  ],
);

example(
  "Null and empty elements of a list are ignored, and a list with only such elements counts as not set.",
  `
  03-02 09:00 ann tag colors=["red",null,""]
  03-02 09:05 bob tag colors=[null]
  03-02 09:10 cleo tag colors=[]
  `,
  rows({ metadataField: "colors" }),
  [
    ["", 2],
    ["red", 1],
  ],
);

example(
  "A filter selects whole events, so the other elements of a matching list also have rows.",
  `
  03-02 09:00 ann tag colors=["red","blue"]
  03-02 09:05 bob tag colors=["blue"]
  03-02 09:10 cleo tag colors=["red"]
  `,
  rows({ metadataField: "colors", filterGroups: [{ filters: [{ fieldName: "colors", operator: "=", value: "red" }] }] }),
  [
    ["red", 2],
    ["blue", 1],
  ],
);

example(
  "A metadata field with dots reads a nested object.",
  `
  03-02 09:00 ann signup shop={"plan":"pro"}
  03-02 09:05 bob signup shop={"plan":"free"}
  03-02 09:10 cleo signup shop={"plan":"pro"}
  03-02 09:15 dora signup shop=none
  `,
  rows({ metadataField: "shop.plan" }),
  [
    ["pro", 2],
    ["", 1],
    ["free", 1],
  ],
);

example(
  "A key that contains the dot literally takes precedence over a nested object, even if its value is null.",
  `
  03-02 09:00 ann signup shop={"plan":"pro"}
  03-02 09:05 bob signup shop={"plan":"pro"} shop.plan=free
  03-02 09:10 cleo signup shop={"plan":"pro"} shop.plan=null
  `,
  rows({ metadataField: "shop.plan" }),
  [
    ["", 1],
    ["free", 1],
    ["pro", 1],
  ],
);

example(
  "The field metadata.plan is the metadata field plan.",
  `
  03-02 09:00 ann signup plan=pro
  03-02 09:05 bob signup plan=pro
  `,
  rows({ field: "metadata.plan" }),
  [["pro", 2]],
);

example(
  "A metadata field may have the same name as an event field.",
  `
  03-02 09:00 ann upload name=photo
  03-02 09:05 bob upload name=video
  03-02 09:10 cleo photo
  `,
  rows({ metadataField: "name" }),
  [
    ["", 1],
    ["photo", 1],
    ["video", 1],
  ],
);

example(
  "Every device and location field can be aggregated.",
  `
  03-02 09:00 ann visit region=BY city=Munich device=phone os=iOS browser=Safari screen=390x844 language=de-DE
  `,
  async (daybook) => {
    const fields = ["location_region", "location_city", "device", "os", "browser", "screen", "language"] as const;
    return Promise.all(fields.map((field) => daybook.aggregate({ field })));
  },
  [
    [{ property: "BY", count: 1 }],
    [{ property: "Munich", count: 1 }],
    [{ property: "phone", count: 1 }],
    [{ property: "iOS", count: 1 }],
    [{ property: "Safari", count: 1 }],
    [{ property: "390x844", count: 1 }],
    [{ property: "de-DE", count: 1 }],
  ],
);

example(
  "The field url distinguishes pages by query string.",
  `
  03-02 09:00 ann /pricing?plan=pro
  03-02 09:05 bob /pricing
  03-02 09:10 cleo /pricing
  `,
  rows({ field: "url" }),
  [
    ["/pricing", 2],
    ["/pricing?plan=pro", 1],
  ],
);

example(
  "The field path groups pages regardless of query and fragment.",
  `
  03-02 09:00 ann /pricing?plan=pro
  03-02 09:05 bob /pricing#top
  03-02 09:10 cleo /docs
  `,
  rows({ field: "path" }),
  [
    ["/pricing", 2],
    ["/docs", 1],
  ],
);

example(
  "The field referrer is the full address, and the field hostname is the host of the event's site.",
  `
  03-02 09:00 ann /home hostname=acme.example referrer=https://news.example/a
  03-02 09:05 bob /home hostname=acme.example referrer=https://news.example/b
  03-02 09:10 cleo /home hostname=acme.example
  `,
  async (daybook) => [await daybook.aggregate({ field: "referrer" }), await daybook.aggregate({ field: "hostname" })],
  [
    [
      { property: "", count: 1 },
      { property: "https://news.example/a", count: 1 },
      { property: "https://news.example/b", count: 1 },
    ],
    [{ property: "acme.example", count: 3 }],
  ],
);

example(
  "The field referrer_domain groups referring pages by host.",
  `
  03-02 09:00 ann /home referrer=https://news.example/a
  03-02 09:05 bob /home referrer=https://www.news.example/b
  03-02 09:10 cleo /home
  `,
  rows({ field: "referrer_domain" }),
  [
    ["news.example", 2],
    ["", 1],
  ],
);

example(
  "The field user_id is the id as it was sent, even after an alias.",
  `
  03-02 09:00 annie signup
  03-03 09:00 ann buy
  03-03 09:05 ann buy
  03-03 09:10 ~phone /home
  03-09 09:00 annie alias:ann
  `,
  rows({ field: "user_id" }),
  [
    ["ann", 2],
    ["", 1],
    ["annie", 1],
  ],
);

example(
  "The field name counts the events by name.",
  `
  03-02 09:00 ann signup
  03-02 09:05 ann buy
  03-02 09:10 bob buy
  `,
  rows({ field: "name" }),
  [
    ["buy", 2],
    ["signup", 1],
  ],
);

example(
  "The field project counts the events by project.",
  `
  03-02 09:00 ann ping project=web
  03-02 09:05 ann ping project=app
  03-02 09:10 bob ping project=web
  03-02 09:15 bob ping
  `,
  rows({ field: "project" }),
  [
    ["web", 2],
    ["app", 1],
    ["default", 1],
  ],
);

example(
  "The field company_id is the company of the event, or that of the person if the event has none.",
  `
  03-01 09:00 ann group:acme
  03-02 09:00 ann visit
  03-02 09:05 ann visit
  03-02 09:10 ann visit company=globex
  03-02 09:15 bob visit
  03-02 09:20 bob visit
  03-02 09:25 bob visit
  `,
  rows({ field: "company_id" }),
  [
    ["", 3],
    ["acme", 2],
    ["globex", 1],
  ],
);

example(
  "Events after a change of company count for the new company.",
  `
  03-01 09:00 ann visit
  03-02 09:00 ann group:acme
  03-03 09:00 ann visit
  03-05 09:00 ann group:globex
  03-06 09:00 ann visit
  `,
  rows({ field: "company_id" }),
  [
    ["acme", 2],
    ["globex", 1],
  ],
);

example(
  "A person's trait is a field, and its latest value applies to all of the person's events.",
  `
  03-02 09:00 ann signup
  03-03 09:00 ann buy
  03-03 09:05 bob buy
  03-04 09:00 ann identify plan=free
  03-05 09:00 ann identify plan=pro
  `,
  rows({ field: "person.plan" }),
  [
    ["pro", 2],
    ["", 1],
  ],
);

example(
  "The source of the first touch is a field, and an event before any touch is direct.",
  `
  03-01 09:00 ann /home
  03-02 09:00 ann /home?utm_source=mail
  03-03 09:00 ann buy
  `,
  rows({ field: "first_touch.source" }),
  [
    ["mail", 2],
    ["(direct)", 1],
  ],
);

example(
  "A refund has the last touch of its order, even if a later touch exists.",
  `
  03-01 09:00 ann /home?utm_source=mail
  03-02 09:00 ann Payment order=o1 value=10
  03-03 09:00 ann /home?utm_source=ads
  03-04 09:00 ann Refund order=o1 value=10
  `,
  rows({ field: "last_touch.source" }),
  [
    ["mail", 3],
    ["ads", 1],
  ],
);

example(
  "With the measure unique_users a row counts people.",
  `
  03-02 09:00 ann visit country=DE
  03-02 09:05 ann visit country=DE
  03-02 09:10 ann visit country=FR
  03-02 09:15 bob visit country=FR
  `,
  (daybook) => daybook.aggregate({ field: "location_country", measure: "unique_users" }),
  [
    { property: "FR", count: 2 },
    { property: "DE", count: 1 },
  ],
);

example(
  "With the measure unique_users, two ids of one person count once.",
  `
  03-02 09:00 ~phone visit os=iOS
  03-02 09:05 ann visit os=iOS
  03-03 09:00 ann~phone login os=macOS
  `,
  rows({ field: "os", measure: "unique_users" }),
  [
    ["iOS", 1],
    ["macOS", 1],
  ],
);

example(
  "With unique_users, a value that occurs only in events without an identity has no row.",
  `
  03-02 09:00 ann visit os=iOS
  03-02 09:05 - visit os=iOS
  03-02 09:10 - visit os=Linux
  `,
  rows({ field: "os", measure: "unique_users" }),
  [["iOS", 1]],
);

example(
  "The measure events is the default.",
  `
  03-02 09:00 ann visit os=iOS
  03-02 09:05 ann visit os=iOS
  `,
  rows({ field: "os", measure: "events" }),
  [["iOS", 2]],
);

example(
  "A limit keeps the first rows.",
  `
  03-02 09:00 ann visit os=iOS
  03-02 09:05 bob visit os=iOS
  03-02 09:10 cleo visit os=Android
  03-02 09:15 dora visit os=Linux
  `,
  rows({ field: "os", limit: 2 }),
  [
    ["iOS", 2],
    ["Android", 1],
  ],
);

example(
  "A limit above the number of rows keeps all of them.",
  `
  03-02 09:00 ann visit os=iOS
  03-02 09:05 bob visit os=Linux
  `,
  rows({ field: "os", limit: 100 }),
  [
    ["Linux", 1],
    ["iOS", 1],
  ],
);

example(
  "The project, the event name and the dates select what is counted.",
  `
  03-01 23:59:59.999 ann buy project=web plan=pro
  03-02 00:00 ann buy project=web plan=free
  03-02 09:00 ann view project=web plan=team
  03-02 09:05 ann buy project=app plan=team
  03-03 23:59:59.999 ann buy project=web plan=free
  03-04 00:00 ann buy project=web plan=pro
  `,
  rows({ metadataField: "plan", project: "web", eventName: "buy", startDate: "2026-03-02", endDate: "2026-03-03" }),
  [["free", 2]],
);

example(
  "A segment selects the people whose events are counted.",
  `
  03-02 09:00 ann view os=iOS
  03-02 09:05 ann buy os=iOS
  03-02 09:10 bob view os=Linux
  `,
  rows({
    field: "os",
    filterGroups: [{ filters: [{ fieldName: "identity_id", operator: "in_segment", value: "buyers" }] }],
    segments: { buyers: { groups: [{ conditions: [{ type: "did", eventName: "buy" }] }] } },
  }),
  [["iOS", 2]],
);

example(
  "An event that is sent twice with the same id counts once.",
  `
  03-02 09:00 ann visit os=iOS id=e1
  03-02 09:00 ann visit os=iOS id=e1
  03-02 09:05 bob visit os=Linux id=e2
  `,
  rows({ field: "os" }),
  [
    ["Linux", 1],
    ["iOS", 1],
  ],
);

example(
  "A null member is treated as absent, even userId.",
  `
  03-02 09:00 ann visit os=iOS
  03-02 09:05 ann visit os=iOS
  `,
  rows({ ...{ userId: null }, field: "os", metadataField: null, measure: null, limit: null, project: null, eventName: null, startDate: null }),
  [["iOS", 2]],
);

example(
  "A field together with a metadata field is refused.",
  "",
  async (daybook) => (await failure(daybook.aggregate({ field: "os", metadataField: "plan" } as unknown as AggregateInput)))[0],
  "exactly_one_required",
);

example(
  "A query with neither a field nor a metadata field is refused.",
  "",
  async (daybook) => (await failure(daybook.aggregate({} as AggregateInput)))[0],
  "exactly_one_required",
);

example("A bare metadata key is not accepted as a field.", "", refused({ field: "plan" } as unknown as AggregateInput), [
  "invalid_parameter",
  "field",
]);

example("The query has no userId parameter.", "", refused({ field: "os", userId: "ann" } as AggregateInput), ["unknown_parameter", "userId"]);

example("An unknown measure is refused.", "", refused({ field: "os", measure: "sessions" as "events" }), ["invalid_parameter", "measure"]);

example("A fractional limit is refused.", "", refused({ field: "os", limit: 1.5 }), ["invalid_parameter", "limit"]);

example("A limit below 0 is refused.", "", refused({ field: "os", limit: -1 }), ["invalid_parameter", "limit"]);
