package dev.varve.platform.tokenizer;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/**
 * Finds special tokens spelled in a text.
 *
 * <p>The rule: the tokens are processed from the longest to the shortest, the lower id first among
 * equals, and each one claims its occurrences from left to right in the unclaimed text. Executed
 * literally, that reads the text once per token. Occurrences that do not overlap cannot affect each
 * other, however, so a trie finds groups of overlapping occurrences in one pass, and the rule is
 * applied only to groups with several of them.
 */
final class SpecialTokenMatcher {
    /** An occurrence: {@code text[from, to)} spells token {@code id}. */
    record Match(int from, int to, int id) {}

    record Special(int id, byte[] text) {}

    private static final int NONE = -1;

    /** Longest first; the index here is the order of claims. */
    private final List<Special> specials;

    /** First node of the trie for each first byte. */
    private final int[] roots = new int[256];

    private final IntList firstChild = new IntList();
    private final IntList sibling = new IntList();
    private final IntList label = new IntList();

    /** Index of the special token that ends in a node. */
    private final IntList ending = new IntList();

    /** Texts that are empty or not UTF-8 can never occur and are left out. */
    SpecialTokenMatcher(List<Special> candidates) {
        specials =
                candidates.stream()
                        .filter(
                                special ->
                                        special.text().length > 0
                                                && Utf8.isWellFormed(special.text()))
                        .sorted(Comparator.comparingInt(special -> -special.text().length))
                        .toList();
        Arrays.fill(roots, NONE);
        for (int order = 0; order < specials.size(); order++) {
            enter(specials.get(order).text(), order);
        }
    }

    boolean isEmpty() {
        return specials.isEmpty();
    }

    /**
     * Appends the occurrences in {@code text[from, to)} in the order of the text.
     *
     * @throws TooManyTokensException if there are more than {@code most} of them
     */
    void find(byte[] text, int from, int to, int most, List<Match> matches) {
        int at = from;
        while (at < to) {
            if (matches.size() > most) {
                throw new TooManyTokensException(most);
            }
            int longest = longestAt(text, at, to);
            if (longest == NONE) {
                at++;
                continue;
            }
            int end = at + length(longest);
            boolean alone = true;
            for (int inside = at + 1; inside < end; inside++) {
                int other = longestAt(text, inside, to);
                if (other != NONE) {
                    alone = false;
                    end = Math.max(end, inside + length(other));
                }
            }
            if (alone) {
                matches.add(new Match(at, end, specials.get(longest).id()));
            } else {
                settle(text, at, end, matches);
            }
            at = end;
        }
    }

    /** Applies the rule to a group of overlapping occurrences. */
    private void settle(byte[] text, int from, int to, List<Match> matches) {
        int[] claims = new int[to - from];
        Arrays.fill(claims, NONE);
        occurringIn(text, from, to).stream().forEach(order -> claim(text, from, order, claims));
        for (int at = 0; at < claims.length; ) {
            if (claims[at] == NONE) {
                at++;
                continue;
            }
            int end = at + length(claims[at]);
            matches.add(new Match(from + at, from + end, specials.get(claims[at]).id()));
            at = end;
        }
    }

    private void claim(byte[] text, int from, int order, int[] claims) {
        byte[] special = specials.get(order).text();
        for (int at = 0; at + special.length <= claims.length; ) {
            int claimed = lastClaim(claims, at, at + special.length);
            if (claimed != NONE) {
                at = claimed + 1;
            } else if (Arrays.equals(
                    special, 0, special.length, text, from + at, from + at + special.length)) {
                Arrays.fill(claims, at, at + special.length, order);
                at += special.length;
            } else {
                at++;
            }
        }
    }

    private static int lastClaim(int[] claims, int from, int to) {
        for (int at = to - 1; at >= from; at--) {
            if (claims[at] != NONE) {
                return at;
            }
        }
        return NONE;
    }

    private BitSet occurringIn(byte[] text, int from, int to) {
        BitSet occurring = new BitSet();
        for (int start = from; start < to; start++) {
            int at = start;
            for (int node = roots[text[at] & 0xFF];
                    node != NONE;
                    node = ++at < to ? child(node, text[at]) : NONE) {
                if (ending.get(node) != NONE) {
                    occurring.set(ending.get(node));
                }
            }
        }
        return occurring;
    }

    /** Index of the longest special token that starts here, or NONE. */
    private int longestAt(byte[] text, int start, int to) {
        int longest = NONE;
        int at = start;
        for (int node = roots[text[at] & 0xFF];
                node != NONE;
                node = ++at < to ? child(node, text[at]) : NONE) {
            if (ending.get(node) != NONE) {
                longest = ending.get(node);
            }
        }
        return longest;
    }

    private int length(int order) {
        return specials.get(order).text().length;
    }

    private void enter(byte[] text, int order) {
        int first = text[0] & 0xFF;
        if (roots[first] == NONE) {
            roots[first] = newNode(text[0], NONE);
        }
        int node = roots[first];
        for (int at = 1; at < text.length; at++) {
            int child = child(node, text[at]);
            if (child == NONE) {
                child = newNode(text[at], firstChild.get(node));
                firstChild.set(node, child);
            }
            node = child;
        }
        if (ending.get(node) == NONE) {
            ending.set(node, order);
        }
    }

    private int child(int node, byte value) {
        int child = firstChild.get(node);
        while (child != NONE && label.get(child) != value) {
            child = sibling.get(child);
        }
        return child;
    }

    private int newNode(byte value, int nextSibling) {
        firstChild.add(NONE);
        sibling.add(nextSibling);
        label.add(value);
        ending.add(NONE);
        return label.size() - 1;
    }
}
