package dev.varve.bench.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.StringJoiner;

/**
 * Texts of plain words, the same for the same seed. Each starts with another word than all others,
 * and no word of the list starts like another in its first four letters, so that a cache of
 * prefixes knows none of them. Behind as many texts as the list has words, it is the second word
 * that differs.
 */
public final class Prompts {
    private static final String LIST = "words.txt";

    private final long seed;
    private final List<String> words;

    /**
     * Texts of a seed.
     *
     * @throws IllegalStateException if the list of words is missing
     */
    public Prompts(long seed) {
        this.seed = seed;
        words = read();
        Collections.shuffle(words, new Random(seed));
    }

    /** Returns the number of texts that start with words of their own. */
    int distinct() {
        return words.size();
    }

    /**
     * A text.
     *
     * @param number from 0, of the text among all
     * @param length in words; a text behind the first {@link #distinct} has at least two
     */
    public String text(int number, int length) {
        int size = words.size();
        Random random = new Random(31 * seed + number);
        StringJoiner text = new StringJoiner(" ");
        text.add(words.get(number % size));
        if (number >= size) {
            text.add(words.get(number / size % size));
        }
        for (int i = number < size ? 1 : 2; i < length; i++) {
            text.add(words.get(random.nextInt(size)));
        }
        return text.toString();
    }

    private static List<String> read() {
        try (InputStream list = Prompts.class.getResourceAsStream(LIST)) {
            if (list == null) {
                throw new IllegalStateException(LIST + " is not on the class path; build first");
            }
            return new ArrayList<>(
                    new String(list.readAllBytes(), StandardCharsets.UTF_8).lines().toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
