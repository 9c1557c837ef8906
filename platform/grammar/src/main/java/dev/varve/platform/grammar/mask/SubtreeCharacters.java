package dev.varve.platform.grammar.mask;

import dev.varve.platform.grammar.regex.PlainCharacters;

/**
 * Characters of the strings below each node of a trie of plain text: the maximum count, and the
 * set. ASCII characters have a bit each in two words; all others share the bit of U+007F.
 * Immutable.
 */
final class SubtreeCharacters {
    /** The bit of all characters that are not ASCII, in the second word. */
    static final long OTHERS = 1L << 63;

    final long[] low;
    final long[] high;
    final byte[] heights;

    SubtreeCharacters(ByteTrie trie) {
        low = new long[trie.size()];
        high = new long[trie.size()];
        heights = new byte[trie.size()];
        int[] deepest = new int[trie.deepest + 2];
        long[] lows = new long[trie.deepest + 2];
        long[] highs = new long[trie.deepest + 2];
        // This order visits the nodes below a node first, and collects their result at its depth.
        for (int node = trie.size() - 1; node >= 0; node--) {
            int depth = trie.depth[node];
            heights[node] = (byte) Math.min(deepest[depth + 1], Byte.MAX_VALUE);
            low[node] = lows[depth + 1];
            high[node] = highs[depth + 1];
            byte label = trie.label[node];
            int own = PlainCharacters.isContinuation(label) ? 0 : 1;
            deepest[depth] = Math.max(deepest[depth], own + deepest[depth + 1]);
            lows[depth] |= lows[depth + 1] | lowBit(label);
            highs[depth] |= highs[depth + 1] | highBit(label);
            deepest[depth + 1] = 0;
            lows[depth + 1] = 0;
            highs[depth + 1] = 0;
        }
    }

    static long lowBit(byte label) {
        return label >= 0 && label < 64 ? 1L << label : 0;
    }

    static long highBit(byte label) {
        if (label < 0) {
            return OTHERS;
        }
        return label >= 64 ? 1L << label - 64 : 0;
    }
}
