import { normalEmail, looksLikeEmail } from "./emails.js";
import { getOrMake } from "../core/base/arrays.js";
import { compareCodePoints } from "../core/base/text-order.js";
import type { Dictionaries } from "../storage/column/dictionaries.js";
import type { Dictionary } from "../storage/column/dictionary.js";
import { PagedCodes, type FrozenCodes } from "../storage/column/paged-codes.js";
import type { IdLink } from "../storage/segment/rows.js";
import { AnonymousLinks, ChangeLog, UserMerges } from "./links.js";
import { identityIdOf } from "./identity-ids.js";
import type { IdentityView, KnownEnds } from "./identity-view.js";
import { RECORD_KINDS, type RecordTable, RowsByCode } from "./record-table.js";

const AT_SIGN = 0x40;

/** Tracks which codes are in use: a dictionary keeps every id, but an id that only records named is unknown once these are unlinked. */
class KnownCodes {
  /** Codes from here on belong to an open commit: if it fails, they are reassigned. */
  end = Infinity;
  /** Live records that name a code. */
  readonly #mentions = new RowsByCode();
  /** Codes that a record introduced and no event has used. */
  readonly #recordOnly = new Set<number>();
  /** Codes that an event has used; null: all but those in `#recordOnly`. */
  #seen: Set<number> | null = null;

  knowOnlySeen(): void {
    this.#seen = new Set();
  }

  isKnown(code: number): boolean {
    if (this.#seen !== null) return code > 0 && code < this.end && (this.#seen.has(code) || this.#mentions.of(code).length > 0);
    return code > 0 && code < this.end && (!this.#recordOnly.has(code) || this.#mentions.of(code).length > 0);
  }

  mention(code: number, row: number): void {
    if (code > 0) this.#mentions.add(code, row);
  }

  unmention(code: number, row: number): void {
    if (code > 0) this.#mentions.remove(code, row);
  }

  addRecordOnly(code: number): void {
    this.#recordOnly.add(code);
  }

  seen(code: number): void {
    this.#seen?.add(code);
    if (this.#recordOnly.size > 0) this.#recordOnly.delete(code);
  }

  /** Codes that no event has used, ascending; live records may name them. */
  recordOnlyCodes(): number[] {
    return [...this.#recordOnly].sort((a, b) => a - b);
  }
}

/** A set of codes by code. Most have one member, for which a set would take several times as long. */
class CodeSets {
  readonly #members = new Map<number, number | Set<number>>();

  get size(): number {
    return this.#members.size;
  }

  of(code: number): Iterable<number> {
    const members = this.#members.get(code);
    return members === undefined ? [] : typeof members === "number" ? [members] : members;
  }

  add(code: number, member: number): void {
    const members = this.#members.get(code);
    if (members === undefined) this.#members.set(code, member);
    else if (typeof members !== "number") members.add(member);
    else if (members !== member) this.#members.set(code, new Set([members, member]));
  }
}

/** Resolves identities from events and records in any order. Its views never change. The cost of a change is that of the identities it affects. */
export class IdentityResolver {
  readonly users = new KnownCodes();
  readonly anonymous = new KnownCodes();
  readonly companies = new KnownCodes();
  /** Live group records by actor. */
  readonly groupsOfActor = new RowsByCode();
  /** All group records by company, unlinked ones too. */
  readonly groupsOfCompany = new RowsByCode();
  /** All identify records with an email or traits, by actor, unlinked ones too. */
  readonly identifiesOfActor = new RowsByCode();
  readonly emails: EmailIndex;
  /** Unlinked rows, with the row of the unlink. */
  readonly #removed = new Map<number, number>();
  readonly #links: AnonymousLinks;
  readonly #merges: UserMerges;
  /** The user of each anonymous id; the survivor of each merged user. */
  readonly #owners = new PagedCodes();
  readonly #survivors = new PagedCodes();
  /** Anonymous ids that a user has or had; users that a user absorbs or absorbed. */
  readonly #everOwned = new CodeSets();
  readonly #everAbsorbed = new CodeSets();
  /** Actors that moved to another identity; actors whose group records changed. */
  readonly moves = new ChangeLog();
  readonly groupMoves = new ChangeLog();
  /** Actors whose emails or traits, and companies whose traits, a record or its unlink changed. */
  readonly identifyMoves = new ChangeLog();
  readonly companyMoves = new ChangeLog();
  #linkCount = 0;
  #view: ResolverView | null = null;
  #recordEnd = Infinity;

  constructor(
    readonly table: RecordTable,
    readonly dictionaries: Dictionaries,
  ) {
    const userIds = dictionaries.named("userId");
    this.emails = new EmailIndex(table, userIds, dictionaries.named("anonymousId"));
    this.#links = new AnonymousLinks(
      (code) => userIds.valueOf(code),
      (row) => ({ userId: table.code(row, "userId"), ms: table.timeOf(row) }),
    );
    this.#merges = new UserMerges(
      (row) => ({ from: table.code(row, "fromUserId"), to: table.code(row, "userId") }),
      (a, b) => table.compare(a, b),
    );
  }

  /** From now on only ids of events passed to `seen`, and of live records, exist; the dictionaries may have others. */
  knowOnlySeen(): void {
    for (const codes of [this.users, this.anonymous, this.companies]) codes.knowOnlySeen();
  }

  /** Adds an event that carries both ids. Constant cost. */
  link({ anonymousId, userId, createdAtMs }: IdLink): void {
    const owner = this.#links.addEvent(anonymousId, { userId, ms: createdAtMs }, this.#owners.of(anonymousId));
    this.#give(anonymousId, owner);
  }

  /** Adds a row that the table already has. */
  addRecord(row: number): void {
    const { table } = this;
    if (table.kinds[row] !== RECORD_KINDS.unlink) {
      const unlink = table.findUnlink(table.ids, row * 16);
      // Unlinked before it arrived.
      if (unlink >= 0) this.#removed.set(row, unlink);
      else this.#put(row, true);
      return;
    }
    const target = table.find(table.ids, row * 16);
    if (target === -1 || this.#removed.has(target)) return;
    this.#removed.set(target, row);
    this.#put(target, false);
  }

  /** Number of records in complete commits; those of an open commit lie beyond. */
  get recordEnd(): number {
    return this.#recordEnd;
  }

  /** Whether a record existed, and was not unlinked, when the store had `recordEnd` records. */
  isLive(row: number, recordEnd: number): boolean {
    return row < recordEnd && (this.#removed.get(row) ?? Infinity) >= recordEnd;
  }

  /** The current identities. Returns the same object until a record is committed or an actor moves to another identity. */
  view(): IdentityView {
    this.#resolveMerges();
    if (this.#view?.changeCount !== this.moves.count || this.#view.recordEnd !== this.#recordEnd)
      this.#view = new ResolverView(this, this.#owners.freeze(), this.#survivors.freeze(), this.#recordEnd, this.moves.count, this.#linkCount, this.#everAbsorbed.size > 0);
    return this.#view;
  }

  everOwnedBy(userId: number): Iterable<number> {
    return this.#everOwned.of(userId);
  }

  everAbsorbedBy(userId: number): Iterable<number> {
    return this.#everAbsorbed.of(userId);
  }

  #put(row: number, isLive: boolean): void {
    const { table } = this;
    const userId = table.code(row, "userId");
    const anonymousId = table.code(row, "anonymousId");
    // An alias of a user to itself has no effect; it does not even mention the id.
    if (userId > 0 && table.code(row, "fromUserId") === userId) return;
    const change = isLive ? "mention" : "unmention";
    this.users[change](userId, row);
    this.anonymous[change](anonymousId, row);
    if (table.kinds[row] === RECORD_KINDS.group) this.#putGroup(row, userId, anonymousId, isLive);
    else if (table.kinds[row] === RECORD_KINDS.alias) this.#putAlias(row, anonymousId, isLive);
    else {
      this.#putIdentify(row, isLive);
      if (userId > 0 && anonymousId > 0) this.#putLink(row, anonymousId, isLive);
    }
  }

  #putIdentify(row: number, isLive: boolean): void {
    const { table, emails } = this;
    const hasEmail = table.code(row, "email") > 0;
    if (!hasEmail && table.code(row, "traits") === 0) return;
    const actor = emails.actorOf(row);
    this.identifyMoves.add(actor);
    // Earlier views still read records that are unlinked now, so none is removed.
    if (!isLive) return;
    this.identifiesOfActor.add(actor, row);
    if (hasEmail) emails.add(row);
  }

  #putGroup(row: number, userId: number, anonymousId: number, isLive: boolean): void {
    const companyId = this.table.code(row, "companyId");
    this.companies[isLive ? "mention" : "unmention"](companyId, row);
    const actor = userId > 0 ? userId * 2 : anonymousId * 2 + 1;
    this.groupsOfActor[isLive ? "add" : "remove"](actor, row);
    this.groupMoves.add(actor);
    if (this.table.code(row, "traits") > 0) this.companyMoves.add(companyId);
    if (isLive) this.groupsOfCompany.add(companyId, row);
  }

  /** `from` may be a user id, an anonymous id or both: each becomes `to`. */
  #putAlias(row: number, anonymousId: number, isLive: boolean): void {
    const from = this.table.code(row, "fromUserId");
    this.users[isLive ? "mention" : "unmention"](from, row);
    this.#merges[isLive ? "add" : "remove"](row);
    this.#putLink(row, anonymousId, isLive);
  }

  #putLink(row: number, anonymousId: number, isLive: boolean): void {
    if (isLive) this.#links.addRecord(anonymousId, row);
    else this.#links.removeRecord(anonymousId, row);
    this.#give(anonymousId, this.#links.ownerOf(anonymousId));
  }

  /** Ends of the committed codes; codes beyond are newer than any snapshot. */
  get ends(): KnownEnds {
    return { users: this.users.end, anonymous: this.anonymous.end, companies: this.companies.end };
  }

  /** Marks everything added so far as committed. @param sizes of the dictionaries after these commits: values beyond are unknown */
  committed(sizes: ReadonlyMap<string, number>): void {
    this.#recordEnd = this.table.rowCount;
    this.users.end = sizes.get("userId") ?? 1;
    this.anonymous.end = sizes.get("anonymousId") ?? 1;
    this.companies.end = sizes.get("companyId") ?? 1;
  }

  #give(anonymousId: number, userId: number): void {
    if (this.#owners.of(anonymousId) === userId) return;
    this.#owners.set(anonymousId, userId);
    this.#moved(anonymousId * 2 + 1);
    if (userId > 0) this.#everOwned.add(userId, anonymousId);
  }

  #resolveMerges(): void {
    this.#merges.resolveChanged((userId, survivor) => {
      const value = survivor === userId ? 0 : survivor;
      if (this.#survivors.of(userId) === value) return;
      this.#survivors.set(userId, value);
      this.#moved(userId * 2);
      for (const anonymousId of this.everOwnedBy(userId)) if (this.#owners.of(anonymousId) === userId) this.#moved(anonymousId * 2 + 1);
      if (value > 0) this.#everAbsorbed.add(survivor, userId);
    });
  }

  #moved(actor: number): void {
    this.#linkCount += 1;
    this.moves.add(actor);
  }
}

/** Links, emails and records of one snapshot. Which ids are known is always current: look ids up in the snapshot's tick. */
class ResolverView implements IdentityView {
  readonly #userIds: Dictionary;
  readonly #anonymousIds: Dictionary;

  constructor(
    readonly resolver: IdentityResolver,
    readonly owners: FrozenCodes,
    readonly survivors: FrozenCodes,
    readonly recordEnd: number,
    readonly changeCount: number,
    readonly linkCount: number,
    readonly hasMerges: boolean,
  ) {
    this.#userIds = resolver.dictionaries.named("userId");
    this.#anonymousIds = resolver.dictionaries.named("anonymousId");
  }

  identityOf(actor: number): number {
    if (actor === 0 || this.linkCount === 0) return actor;
    if ((actor & 1) === 0) return this.#survivorOf(actor >>> 1) * 2;
    const owner = this.owners.of(actor >>> 1);
    return owner === 0 ? actor : this.#survivorOf(owner) * 2;
  }

  actorsOf(identity: number): readonly number[] {
    const actors = [identity];
    if (this.linkCount === 0 || (identity & 1) === 1) return actors;
    const survivor = identity >>> 1;
    for (const userId of this.resolver.everAbsorbedBy(survivor))
      if (userId !== survivor && this.identityOf(userId * 2) === identity) actors.push(userId * 2);
    const userCount = actors.length;
    for (let at = 0; at < userCount; at += 1) {
      const userId = (actors[at] as number) >>> 1;
      for (const anonymousId of this.resolver.everOwnedBy(userId)) if (this.owners.of(anonymousId) === userId) actors.push(anonymousId * 2 + 1);
    }
    return actors;
  }

  changesSince(former: IdentityView): ReadonlySet<number> | null {
    return former instanceof ResolverView && former.resolver === this.resolver ? this.resolver.moves.between(former.changeCount, this.changeCount) : null;
  }

  readonly isLive = (row: number): boolean => this.resolver.isLive(row, this.recordEnd);

  #survivorOf(userId: number): number {
    const survivor = this.survivors.of(userId);
    return survivor === 0 ? userId : survivor;
  }

  findId(id: string): number {
    const { resolver } = this;
    const userId = this.#userIds.codeOf(id);
    if (resolver.users.isKnown(userId)) return this.identityOf(userId * 2);
    const anonymousId = this.#anonymousIds.codeOf(id);
    return resolver.anonymous.isKnown(anonymousId) ? this.identityOf(anonymousId * 2 + 1) : 0;
  }

  findEmail(email: string): number {
    return this.identityOf(this.actorOfEmail(email));
  }

  actorOfEmail(email: string): number {
    const { emails, users, dictionaries } = this.resolver;
    const code = dictionaries.named("email").codeOf(email);
    const actor = code > 0 ? emails.newestActorOf(code, this.isLive) : 0;
    if (actor > 0) return actor;
    const named = emails.usersNamedLike(email, users.end).filter((userId) => users.isKnown(userId));
    const [first] = named.sort((a, b) => compareCodePoints(this.#userIds.valueOf(a), this.#userIds.valueOf(b)));
    return first === undefined ? 0 : first * 2;
  }

  identityId(identity: number): string {
    const code = identity >>> 1;
    return (identity & 1) === 0
      ? identityIdOf("user", this.#userIds.valueOf(code))
      : identityIdOf("anonymous", this.#anonymousIds.valueOf(code));
  }

  isIdentified(identity: number): boolean {
    return (identity & 1) === 0 || this.resolvedIdentifier(identity) !== null;
  }

  resolvedIdentifier(identity: number): string | null {
    const { identifiesOfActor, table, dictionaries } = this.resolver;
    let newest = -1;
    for (const actor of this.actorsOf(identity))
      for (const row of identifiesOfActor.of(actor))
        if (table.code(row, "email") > 0 && this.isLive(row) && (newest === -1 || table.compare(row, newest) > 0)) newest = row;
    if (newest !== -1) {
      const email = dictionaries.named("email").valueOf(table.code(newest, "email"));
      if (this.findEmail(email) === identity) return email;
    }
    return (identity & 1) === 0 ? this.#userIds.valueOf(identity >>> 1) : null;
  }
}

/** Finds actors by the emails they were identified with, and user ids that are emails themselves. */
class EmailIndex {
  /** Identify records by email, unlinked ones too. */
  readonly #byEmail = new RowsByCode();
  /** User ids that look like emails by their normal form, for codes below `#scanned`. */
  readonly #emailLikeUsers = new Map<string, number[]>();
  #scanned = 1;

  constructor(
    readonly table: RecordTable,
    readonly userIds: Dictionary,
    readonly anonymousIds: Dictionary,
  ) {}

  add(row: number): void {
    this.#byEmail.add(this.table.code(row, "email"), row);
  }

  /** The actor of an identify record: its user, else its anonymous id. */
  actorOf(row: number): number {
    const userId = this.table.code(row, "userId");
    return userId > 0 ? userId * 2 : this.table.code(row, "anonymousId") * 2 + 1;
  }

  /** The actor most recently identified with an email; 0 for none. Cost: the records with this email. @param isLive whether a record counts */
  newestActorOf(emailCode: number, isLive: (row: number) => boolean): number {
    let newest = -1;
    for (const row of this.#byEmail.of(emailCode)) if (isLive(row) && (newest === -1 || this.#isNewer(row, newest))) newest = row;
    return newest === -1 ? 0 : this.actorOf(newest);
  }

  /** User ids below `end` whose normal form is this email. Cost: each new user id, once. @param end codes below it are permanent */
  usersNamedLike(email: string, end: number): readonly number[] {
    for (const last = Math.min(end, this.userIds.size); this.#scanned < last; this.#scanned += 1) {
      if (!this.userIds.hasUnit(this.#scanned, AT_SIGN) || this.userIds.isRetired(this.#scanned)) continue;
      const normal = normalEmail(this.userIds.valueOf(this.#scanned));
      if (!looksLikeEmail(normal)) continue;
      getOrMake(this.#emailLikeUsers, normal, () => [] as number[]).push(this.#scanned);
    }
    return this.#emailLikeUsers.get(email) ?? [];
  }

  /** Later; at one ms the smaller user id, then records without a user by anonymous id; for one actor the smaller record id. */
  #isNewer(row: number, other: number): boolean {
    const { table } = this;
    const ms = table.timeOf(row) - table.timeOf(other);
    if (ms !== 0) return ms > 0;
    const [a, b] = [this.actorOf(row), this.actorOf(other)];
    if ((a & 1) !== (b & 1)) return (a & 1) === 0;
    if (a === b) return table.compare(row, other) < 0;
    return compareCodePoints(this.#textOf(a), this.#textOf(b)) < 0;
  }

  #textOf(actor: number): string {
    return ((actor & 1) === 0 ? this.userIds : this.anonymousIds).valueOf(actor >>> 1);
  }
}
