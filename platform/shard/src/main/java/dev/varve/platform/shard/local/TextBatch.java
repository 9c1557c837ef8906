package dev.varve.platform.shard.local;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Texts that an encoder computes together, ordered by length: texts of one length are adjacent, so
 * that one operator computes the attention of all of them. None is padded.
 *
 * @param texts token ids, the longest text first
 * @param order for each of them its index in the caller's list
 * @param groups the texts again, by operators of their attention
 */
record TextBatch(List<int[]> texts, int[] order, List<Group> groups) {
    /** Texts that share an operator have at most so many tokens, unless they have one length. */
    private static final int SHARED_TOKENS = 128;

    /**
     * Consecutive units of texts whose attention one operator computes.
     *
     * @param first column of the first token
     * @param units number of units, all alike
     * @param lengths tokens of each text of a unit: one, or several that must not see each other
     */
    record Group(int first, int units, List<Integer> lengths) {
        /** Returns the tokens of a unit. */
        int length() {
            return lengths.stream().mapToInt(Integer::intValue).sum();
        }

        int tokens() {
            return length() * units;
        }
    }

    static TextBatch of(List<int[]> texts) {
        int[] order =
                IntStream.range(0, texts.size())
                        .boxed()
                        .sorted(Comparator.comparing(index -> -texts.get(index).length))
                        .mapToInt(Integer::intValue)
                        .toArray();
        List<int[]> sorted = IntStream.of(order).mapToObj(texts::get).toList();
        return new TextBatch(sorted, order, groups(sorted));
    }

    /**
     * Each operator costs time beside its arithmetic, so that short texts of unlike lengths share
     * one.
     */
    private static List<Group> groups(List<int[]> sorted) {
        List<Group> groups = new ArrayList<>();
        int column = 0;
        for (int begin = 0; begin < sorted.size(); ) {
            int length = sorted.get(begin).length;
            int alike = endOfLength(sorted, begin) - begin;
            Group group =
                    length * alike >= SHARED_TOKENS
                            ? new Group(column, alike, List.of(length))
                            : new Group(column, 1, shared(sorted, begin));
            groups.add(group);
            column += group.tokens();
            begin += group.units() * group.lengths().size();
        }
        return groups;
    }

    private static int endOfLength(List<int[]> sorted, int begin) {
        int end = begin;
        while (end < sorted.size() && sorted.get(end).length == sorted.get(begin).length) {
            end++;
        }
        return end;
    }

    private static List<Integer> shared(List<int[]> sorted, int begin) {
        List<Integer> lengths = new ArrayList<>();
        int tokens = 0;
        for (int text = begin; text < sorted.size(); text++) {
            tokens += sorted.get(text).length;
            if (tokens > SHARED_TOKENS) {
                break;
            }
            lengths.add(sorted.get(text).length);
        }
        return lengths;
    }

    /** Returns the number of tokens of all texts. */
    int tokens() {
        return texts.stream().mapToInt(text -> text.length).sum();
    }

    /** Returns the token id of each column. */
    int[] ids() {
        return texts.stream().flatMapToInt(IntStream::of).toArray();
    }

    /** Returns the position of each column's token in its text. */
    int[] positions() {
        return texts.stream().flatMapToInt(text -> IntStream.range(0, text.length)).toArray();
    }

    /** Returns the column of each text's first token. */
    int[] firstColumns() {
        int[] columns = new int[texts.size()];
        for (int text = 1; text < columns.length; text++) {
            columns[text] = columns[text - 1] + texts.get(text - 1).length;
        }
        return columns;
    }

    /** Returns the column of each text's last token. */
    int[] lastColumns() {
        int[] columns = firstColumns();
        for (int text = 0; text < columns.length; text++) {
            columns[text] += texts.get(text).length - 1;
        }
        return columns;
    }

    /** Returns the weight of each column in the average of each text, {@code [tokens, texts]}. */
    float[] averages() {
        int tokens = tokens();
        float[] weights = new float[tokens * texts.size()];
        int column = 0;
        for (int text = 0; text < texts.size(); text++) {
            int length = texts.get(text).length;
            for (int i = 0; i < length; i++) {
                weights[text * tokens + column++] = 1f / length;
            }
        }
        return weights;
    }
}
