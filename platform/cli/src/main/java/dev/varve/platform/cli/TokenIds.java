package dev.varve.platform.cli;

import java.util.Arrays;

/** Parser of token ids on the command line: {@code 1,2,3}. */
final class TokenIds {
    private TokenIds() {}

    /**
     * Parses ids.
     *
     * @throws UsageException if the text is not a list of numbers from 0 on
     */
    static int[] parse(String text) {
        String[] parts = text.strip().split("\\s*,\\s*", -1);
        int[] ids = new int[parts.length];
        for (int i = 0; i < parts.length; i++) {
            try {
                ids[i] = Integer.parseInt(parts[i]);
            } catch (NumberFormatException e) {
                ids[i] = -1;
            }
            if (ids[i] < 0) {
                throw new UsageException(
                        "--tokens: expected ids such as 1,2,3, found \"" + parts[i] + "\"");
            }
        }
        return ids;
    }

    /**
     * Checks ids against a vocabulary.
     *
     * @throws UsageException if an id is not in it
     */
    static void requireBelow(int[] ids, int vocabularySize) {
        Arrays.stream(ids)
                .filter(id -> id >= vocabularySize)
                .findFirst()
                .ifPresent(
                        id -> {
                            throw new UsageException(
                                    "--tokens: expected ids below "
                                            + vocabularySize
                                            + ", found "
                                            + id);
                        });
    }
}
