package dev.varve.platform.remote;

import dev.varve.platform.shard.SequencePlace;

/**
 * What every message about one snapshot carries, so that two of them never mix. On the wire i32
 * first slot, i32 state row and i64 generation.
 *
 * @param firstSlot where the sequence's rows begin
 * @param stateRow its state row
 * @param generation rises with every transfer of a connection, into either direction
 */
record TransferId(int firstSlot, int stateRow, long generation) {
    static TransferId of(SequencePlace place, long generation) {
        return new TransferId(place.slots().begin(), place.stateRow(), generation);
    }

    FieldWriter put(FieldWriter fields) {
        return fields.number(firstSlot).number(stateRow).number(generation);
    }

    static TransferId get(FieldReader fields) {
        return new TransferId(
                fields.number("transfer's slot", 0, Integer.MAX_VALUE),
                fields.number("transfer's row", 1, 1 << 16),
                fields.number("transfer's generation", 1L, Long.MAX_VALUE));
    }

    /**
     * Takes the id that must be this one.
     *
     * @throws dev.varve.platform.wire.WireException if it is another transfer's
     */
    void require(FieldReader fields) {
        TransferId found = get(fields);
        if (!found.equals(this)) {
            throw FieldReader.invalid("transfer", this, found);
        }
    }

    /** For people, who know transfers by their number. */
    @Override
    public String toString() {
        return generation + " (slot " + firstSlot + ", state row " + stateRow + ")";
    }
}
