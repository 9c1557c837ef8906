package dev.varve.api.gguf;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Key/value pairs of a model file. The plain getters demand a key, the {@code find} ones do not;
 * both raise a {@link ModelFormatException} if the value has another type. The pairs do not change;
 * which keys were asked for is recorded. Thread-safe.
 */
public final class GgufMetadata {
    private final Path file;
    private final Map<String, GgufValue> values;
    private final Set<String> read = ConcurrentHashMap.newKeySet();

    GgufMetadata(Path file, Map<String, GgufValue> values) {
        this.file = file;
        this.values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** Keys in the order of the file. */
    public Set<String> keys() {
        return values.keySet();
    }

    /**
     * Keys that exist and that no method of this object was called with, in the order of the file.
     */
    public List<String> unreadKeys() {
        return values.keySet().stream().filter(key -> !read.contains(key)).toList();
    }

    private GgufValue get(String key) {
        GgufValue value = values.get(key);
        if (value != null) {
            read.add(key);
        }
        return value;
    }

    /** Returns whether a key exists. */
    public boolean has(String key) {
        return get(key) != null;
    }

    /** A value of any type. */
    public Optional<GgufValue> find(String key) {
        return Optional.ofNullable(get(key));
    }

    /** A text. */
    public String string(String key) {
        return findString(key).orElseThrow(() -> missing(key, "a string"));
    }

    /** A text. */
    public Optional<String> findString(String key) {
        return find(key)
                .map(
                        value -> {
                            if (value instanceof GgufValue.Text text) {
                                return text.value();
                            }
                            throw wrong(key, "a string", value);
                        });
    }

    /** An integer of any width. */
    public long integer(String key) {
        return findInteger(key).orElseThrow(() -> missing(key, "an integer"));
    }

    /** An integer of any width. */
    public OptionalLong findInteger(String key) {
        GgufValue value = get(key);
        if (value == null) {
            return OptionalLong.empty();
        }
        if (value instanceof GgufValue.Whole whole && isSigned(whole)) {
            return OptionalLong.of(whole.value());
        }
        throw wrong(key, "an integer", value);
    }

    /** An integer from 1 to 2^31 - 1. */
    public int positiveInt(String key) {
        long value = integer(key);
        if (value < 1 || value > Integer.MAX_VALUE) {
            throw new ModelFormatException(file, key, "a positive integer", Long.toString(value));
        }
        return (int) value;
    }

    /** A number. */
    public double number(String key) {
        return findNumber(key).orElseThrow(() -> missing(key, "a number"));
    }

    /** A number; not-a-number and infinities are refused. */
    public OptionalDouble findNumber(String key) {
        GgufValue value = get(key);
        if (value == null) {
            return OptionalDouble.empty();
        }
        double number =
                switch (value) {
                    case GgufValue.Real real -> real.value();
                    case GgufValue.Whole whole -> whole.value();
                    default -> throw wrong(key, "a number", value);
                };
        if (!Double.isFinite(number)) {
            throw new ModelFormatException(file, key, "a finite number", Double.toString(number));
        }
        return OptionalDouble.of(number);
    }

    /** A truth value. */
    public Optional<Boolean> findBool(String key) {
        return find(key)
                .map(
                        value -> {
                            if (value instanceof GgufValue.Bool bool) {
                                return bool.value();
                            }
                            throw wrong(key, "a bool", value);
                        });
    }

    /** Whether the value is an array. */
    public boolean isArray(String key) {
        return get(key) instanceof GgufValue value && value.typeName().startsWith("array");
    }

    /**
     * Integers of any width, or truth values as 1 and 0; a single integer counts as an array of
     * one.
     */
    public long[] integers(String key) {
        return findIntegers(key).orElseThrow(() -> missing(key, "integers"));
    }

    /**
     * Integers of any width, or truth values as 1 and 0; a single integer counts as an array of
     * one.
     */
    public Optional<long[]> findIntegers(String key) {
        return find(key)
                .map(
                        value ->
                                switch (value) {
                                    case GgufValue.Wholes wholes when isSigned(wholes) ->
                                            wholes.values().clone();
                                    case GgufValue.SmallWholes small ->
                                            Arrays.stream(small.values()).asLongStream().toArray();
                                    case GgufValue.Whole whole when isSigned(whole) ->
                                            new long[] {whole.value()};
                                    case GgufValue.Bool bool -> new long[] {bool.value() ? 1 : 0};
                                    default -> throw wrong(key, "integers", value);
                                });
    }

    /** Whether the value is below 2^63. */
    private static boolean isSigned(GgufValue.Whole whole) {
        return !whole.typeName().equals("u64") || whole.value() >= 0;
    }

    private static boolean isSigned(GgufValue.Wholes wholes) {
        return !wholes.elementType().equals("u64")
                || Arrays.stream(wholes.values()).allMatch(value -> value >= 0);
    }

    /** Floating-point numbers. */
    public float[] floats(String key) {
        GgufValue value = find(key).orElseThrow(() -> missing(key, "numbers"));
        if (value instanceof GgufValue.Reals reals) {
            float[] floats = new float[reals.values().length];
            for (int i = 0; i < floats.length; i++) {
                floats[i] = (float) reals.values()[i];
            }
            return floats;
        }
        throw wrong(key, "numbers", value);
    }

    /** Texts; invalid UTF-8 becomes U+FFFD. */
    public List<String> strings(String key) {
        return findStrings(key).orElseThrow(() -> missing(key, "strings"));
    }

    /** Texts; invalid UTF-8 becomes U+FFFD. */
    public Optional<List<String>> findStrings(String key) {
        return find(key)
                .map(
                        value -> {
                            GgufValue.Texts texts = texts(key, value);
                            List<String> strings = new ArrayList<>(texts.size());
                            for (int i = 0; i < texts.size(); i++) {
                                strings.add(
                                        new String(
                                                texts.get(i),
                                                java.nio.charset.StandardCharsets.UTF_8));
                            }
                            return Collections.unmodifiableList(strings);
                        });
    }

    /** Texts as bytes. */
    public byte[][] stringBytes(String key) {
        GgufValue.Texts texts = texts(key, find(key).orElseThrow(() -> missing(key, "strings")));
        byte[][] bytes = new byte[texts.size()][];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = texts.get(i);
        }
        return bytes;
    }

    private GgufValue.Texts texts(String key, GgufValue value) {
        if (value instanceof GgufValue.Texts texts) {
            return texts;
        }
        throw wrong(key, "strings", value);
    }

    private ModelFormatException missing(String key, String expected) {
        return new ModelFormatException(file, key, expected, "no such key");
    }

    private ModelFormatException wrong(String key, String expected, GgufValue found) {
        return new ModelFormatException(file, key, expected, found.typeName());
    }
}
