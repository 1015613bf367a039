/** A reply's place in its chat. The order of places is the order of the chat. */
export interface Place {
  readonly hash: string;
  /** When its holder will ask again. */
  ticketMs: number;
  bulk: boolean;
  /** Short hash of the key it must wait for; null once it need not, and never again from then on. */
  blockedOn: string | null;
  /** That one has been missing for so long that nobody waits for it any more, unless it comes before this one goes. */
  skips: boolean;
}

interface Link {
  readonly place: Place;
  before: Link | undefined;
  behind: Link | undefined;
}

/**
 * The places of one chat in the order of their first asks, by short hash of the key. Linked both ways, so that who stands
 * right before a place is found at once, however many wait.
 */
export class Places implements Iterable<Place> {
  private readonly links = new Map<string, Link>();
  private last: Link | undefined;

  get size(): number {
    return this.links.size;
  }

  get(hash: string): Place | undefined {
    return this.links.get(hash)?.place;
  }

  /** Adds a place behind all others. The hash must be new. */
  add(place: Place): Place {
    const link: Link = { place, before: this.last, behind: undefined };
    if (this.last) this.last.behind = link;
    this.last = link;
    this.links.set(place.hash, link);
    return place;
  }

  /** Takes a place out, and gives it. */
  remove(hash: string): Place | undefined {
    const link = this.links.get(hash);
    if (!link) return undefined;
    this.links.delete(hash);
    if (link.before) link.before.behind = link.behind;
    if (link.behind) link.behind.before = link.before;
    else this.last = link.before;
    return link.place;
  }

  [Symbol.iterator](): Iterator<Place> {
    const links = this.links.values();
    return {
      next: () => {
        const { done, value } = links.next();
        return done ? { done, value: undefined } : { done: false, value: value.place };
      },
    };
  }

  /** The places before that of `hash`, from the nearest on; all of them, from the last on, where it has none. */
  *before(hash: string): Generator<Place> {
    const own = this.links.get(hash);
    for (let link = own ? own.before : this.last; link; link = link.before) yield link.place;
  }
}
