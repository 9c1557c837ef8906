package dev.varve.platform.sampling;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * The sampling values that one level sets: a model file, a server or a request. A value that a
 * level does not set comes from the level below. Immutable.
 */
public final class SamplingValues {
    /** Sets nothing. */
    public static final SamplingValues NONE =
            new SamplingValues(new EnumMap<>(SamplingParameter.class), OptionalLong.empty());

    private final Map<SamplingParameter, Double> numbers;
    private final OptionalLong seed;

    private SamplingValues(Map<SamplingParameter, Double> numbers, OptionalLong seed) {
        this.numbers = numbers;
        this.seed = seed;
    }

    /**
     * Returns a copy with one value.
     *
     * @throws IllegalArgumentException if it is out of the parameter's range
     */
    public SamplingValues with(SamplingParameter parameter, double value) {
        return with(parameter, parameter.wireName(), value);
    }

    /**
     * Returns a copy with one value.
     *
     * @param name name of the setting, for the message
     * @throws IllegalArgumentException if it is out of the parameter's range
     */
    public SamplingValues with(SamplingParameter parameter, String name, double value) {
        Map<SamplingParameter, Double> more = new EnumMap<>(SamplingParameter.class);
        more.putAll(numbers);
        more.put(parameter, parameter.check(name, value));
        return new SamplingValues(more, seed);
    }

    /** Returns a copy with a seed. */
    public SamplingValues withSeed(long value) {
        return new SamplingValues(numbers, OptionalLong.of(value));
    }

    /** Returns a copy without a seed. */
    public SamplingValues withoutSeed() {
        return new SamplingValues(numbers, OptionalLong.empty());
    }

    /** Returns a copy without one value. */
    SamplingValues without(SamplingParameter parameter) {
        Map<SamplingParameter, Double> fewer = new EnumMap<>(SamplingParameter.class);
        fewer.putAll(numbers);
        fewer.remove(parameter);
        return new SamplingValues(fewer, seed);
    }

    /** Returns the values of this level, and those of {@code below} that it does not set. */
    public SamplingValues over(SamplingValues below) {
        Map<SamplingParameter, Double> all = new EnumMap<>(SamplingParameter.class);
        all.putAll(below.numbers);
        all.putAll(numbers);
        return new SamplingValues(all, seed.isPresent() ? seed : below.seed);
    }

    /** Returns whether nothing is set. */
    public boolean isEmpty() {
        return numbers.isEmpty() && seed.isEmpty();
    }

    /** Returns a value, if this level sets it. */
    public OptionalDouble find(SamplingParameter parameter) {
        Double value = numbers.get(parameter);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    /** Returns a value; the neutral one if this level does not set it. */
    public double get(SamplingParameter parameter) {
        return find(parameter).orElse(parameter.neutral());
    }

    /** Returns the seed, if this level sets one. */
    public OptionalLong seed() {
        return seed;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SamplingValues that
                && numbers.equals(that.numbers)
                && seed.equals(that.seed);
    }

    @Override
    public int hashCode() {
        return Objects.hash(numbers, seed);
    }

    @Override
    public String toString() {
        return numbers + (seed.isPresent() ? " seed " + seed.getAsLong() : "");
    }
}
