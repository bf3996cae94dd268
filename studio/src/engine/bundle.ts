/* The interchange bundle, as far as views read it (docs/interchange.md). */
export type FactType =
  | { base: "Bool" }
  | { base: "Int"; min?: number; max?: number }
  | { base: "Decimal"; precision: number; scale: number }
  | { base: "Money"; currency: string }
  | { base: "Text"; max_length?: number }
  | { base: "Enum"; values: string[] }
  | { base: "Date" }
  | { base: "DateTime" }
  | { base: "Duration"; unit: string; min?: number; max?: number }
  | { base: "Record"; fields: Record<string, FactType> }
  | { base: "List"; element_type: FactType; max?: number }
  | { base: "TaggedUnion"; variants: Record<string, FactType> };

export interface Fact {
  kind: "Fact";
  id: string;
  type: FactType;
  default?: unknown;
}
export interface Entity {
  kind: "Entity";
  id: string;
  states: string[];
  initial: string;
  transitions: { from: string; to: string }[];
}
export interface Operation {
  kind: "Operation";
  id: string;
  allowed_personas: string[];
  effects: { entity_id: string; from: string; to: string; outcome?: string }[];
  outcomes: string[];
  precondition?: unknown;
}
export interface Flow {
  kind: "Flow";
  id: string;
  entry: string;
}
export interface Persona {
  kind: "Persona";
  id: string;
}
export interface System {
  kind: "System";
  id: string;
  members: { id: string; path: string }[];
  shared_entities?: { entity: string; contracts: string[] }[];
  triggers?: { source_contract: string; source_flow: string; on: string; target_contract: string; target_flow: string; persona: string }[];
}
export type Construct = Fact | Entity | Operation | Flow | Persona | System | { kind: "Rule" | "Source" | "Type"; id: string };

export interface Bundle {
  id: string;
  constructs: Construct[];
}

type OfKind<K extends Construct["kind"]> = Extract<Construct, { kind: K }>;

/** What an author need not name is not in the bundle: an operation may have no outcomes, and one of others no effects. */
const ABSENT: { [K in Construct["kind"]]?: Partial<OfKind<K>> } = { Operation: { effects: [], outcomes: [] } };

export function all<K extends Construct["kind"]>(bundle: Bundle | undefined, kind: K): OfKind<K>[] {
  return (bundle?.constructs ?? []).filter((c) => c.kind === kind).map((c) => ({ ...ABSENT[kind], ...c }) as unknown as OfKind<K>);
}
