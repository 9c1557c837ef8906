package dev.varve.platform.grammar;

/** placeholder */
public record TokenMask(long[] bits, int[] places) {
    public boolean allows(int token) {
        int place = places[token];
        return (bits[place >> 6] >>> place & 1) != 0;
    }
}
