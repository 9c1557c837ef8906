package dev.varve.platform.sequence;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.stream.IntStream;

/** A list of tokens grows without losing any. */
class TokenListTest {
    private static TokenList list(int... tokens) {
        return new TokenList(tokens);
    }

    @Test
    void tokensAreAppended() {
        TokenList list = list(7, 8);
        for (int i = 2; i < 1000; i++) {
            list.add(i);
            assertEquals(i, list.last());
        }

        assertEquals(1000, list.size());
        int[] expected = IntStream.range(0, 1000).map(i -> i < 2 ? 7 + i : i).toArray();
        assertArrayEquals(expected, list.range(0, 1000));
        assertArrayEquals(new int[] {998, 999}, list.range(998, 1000));
        assertEquals(8, list.get(1));
        assertThrows(IndexOutOfBoundsException.class, () -> list.get(1000));
        assertThrows(IndexOutOfBoundsException.class, () -> list.get(-1));
    }

    @Test
    void listIsACopy() {
        int[] tokens = {1, 2};
        TokenList list = list(tokens);
        tokens[0] = 9;
        list.range(0, 1)[0] = 9;

        assertEquals(1, list.get(0));
        TokenList first = list.first(1);
        first.add(5);
        assertEquals(2, list.get(1));
        assertArrayEquals(new int[] {1, 5}, first.range(0, 2));
    }

    @Test
    void commonPrefixEndsAtTheFirstDifference() {
        assertEquals(2, list(1, 2, 3).commonPrefix(list(1, 2, 4)));
        assertEquals(2, list(1, 2).commonPrefix(list(1, 2, 4)));
        assertEquals(2, list(1, 2, 4).commonPrefix(list(1, 2)));
        assertEquals(0, list(1).commonPrefix(list(2)));
        assertEquals(0, list().commonPrefix(list(2)));
        assertTrue(list(1, 2).sameAs(list(1, 2)));
        assertFalse(list(1, 2).sameAs(list(1, 2, 0)));
        assertFalse(list(1, 2).sameAs(list(1, 3)));
        assertTrue(list().sameAs(list()));
    }

    @Test
    void fingerprintIdentifiesTheFirstTokens() {
        assertEquals(list(1, 2, 3).fingerprint(2), list(1, 2, 9).fingerprint(2));
        assertNotEquals(list(1, 2, 3).fingerprint(3), list(1, 2, 9).fingerprint(3));
        assertNotEquals(list(1, 2).fingerprint(2), list(2, 1).fingerprint(2));
        // FNV-1a over the ids.
        assertEquals((0xcbf29ce484222325L ^ 5) * 0x100000001b3L, list(5).fingerprint(1));
        assertNotEquals(0, list().fingerprint(0));
    }
}
