package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.regex.ByteSet;
import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Collection;

/**
 * Sets of numbers as expressions over their decimal texts. Each constraint has all texts of a value
 * or none, and minus zero does not exist, so that intersection and complement of texts are those of
 * values.
 */
final class NumberSets {
    private static final int MOST_DIGITS = 1000;

    /** An automaton of multiples has as many states as the number. */
    private static final int MOST_MODULUS_BITS = 15;

    /** Digits that are always in the range of a double. */
    private static final int MOST_TEXT_DIGITS = 308;

    /** The same, with an exponent of two digits. */
    private static final int MOST_MANTISSA_DIGITS = 40;

    private final RegexStore store;
    private final Regex digit;
    private final Regex digits;
    private final Regex positiveInteger;
    private final Regex fraction;
    private final Regex magnitude;
    private final Regex positive;
    private final Regex integerText;
    private final Regex exponent;
    private final NumberSet nothing;
    private final NumberSet everything;
    private final NumberSet integers;

    NumberSets(RegexStore store) {
        this.store = store;
        digit = range('0', '9');
        digits = store.star(digit);
        Regex leading = range('1', '9');
        positiveInteger = store.concat(leading, digits);
        Regex some = store.atLeast(digit, 1);
        fraction = store.optional(store.concat(letter('.'), some));
        magnitude = store.concat(store.or(letter('0'), positiveInteger), fraction);
        positive =
                store.or(
                        store.concat(positiveInteger, fraction),
                        store.concat(letter('0'), letter('.'), digits, leading, digits));
        integerText =
                store.or(letter('0'), store.concat(store.optional(letter('-')), positiveInteger));
        Regex sign = store.optional(store.or(letter('+'), letter('-')));
        exponent =
                store.concat(store.or(letter('e'), letter('E')), sign, store.repeat(digit, 1, 2));
        nothing = new NumberSet(store.nothing(), false, true);
        everything = new NumberSet(store.or(magnitude, negative(positive)), true, false);
        integers = new NumberSet(store.concat(integerText, zeros()), false, true);
    }

    private Regex range(char first, char last) {
        return store.bytes(ByteSet.range(first, last));
    }

    private Regex letter(char letter) {
        return store.bytes(ByteSet.of(letter));
    }

    private Regex negative(Regex positives) {
        return store.concat(letter('-'), positives);
    }

    private Regex zeros() {
        return store.optional(store.concat(letter('.'), store.atLeast(letter('0'), 1)));
    }

    NumberSet nothing() {
        return nothing;
    }

    NumberSet everything() {
        return everything;
    }

    NumberSet integers() {
        return integers;
    }

    NumberSet and(NumberSet a, NumberSet b) {
        if (a.exponents() || a.equals(b)) {
            return b;
        }
        return b.exponents()
                ? a
                : of(store.and(a.plain(), b.plain()), a.integers() || b.integers());
    }

    NumberSet or(Collection<NumberSet> sets) {
        if (sets.stream().anyMatch(NumberSet::exponents)) {
            return everything;
        }
        return of(
                store.or(sets.stream().map(NumberSet::plain).toList()),
                sets.stream().allMatch(NumberSet::integers));
    }

    NumberSet not(NumberSet set) {
        if (set.exponents()) {
            return nothing;
        }
        return set.isNothing() ? everything : of(complement(set.plain()), false);
    }

    private Regex complement(Regex plain) {
        return store.and(everything.plain(), store.not(plain));
    }

    private static NumberSet of(Regex plain, boolean integers) {
        return new NumberSet(plain, false, integers);
    }

    /** The set of one number. */
    NumberSet equalTo(BigDecimal value) {
        String text = CanonicalLiterals.number(checked(value));
        boolean whole = text.indexOf('.') < 0;
        Regex more = whole ? zeros() : store.star(letter('0'));
        return of(store.concat(store.literal(text), more), whole);
    }

    /** Numbers from a bound on. */
    NumberSet atLeast(BigDecimal value, boolean exclusive) {
        BigDecimal bound = checked(value);
        if (bound.signum() > 0) {
            return of(store.and(magnitude, magnitudes(bound, exclusive)), false);
        }
        if (bound.signum() == 0) {
            return of(exclusive ? positive : magnitude, false);
        }
        Regex beyond = magnitudes(bound.negate(), !exclusive);
        return of(store.or(magnitude, negative(store.and(positive, store.not(beyond)))), false);
    }

    /** Numbers up to a bound. */
    NumberSet atMost(BigDecimal value, boolean exclusive) {
        return of(complement(atLeast(value, !exclusive).plain()), false);
    }

    /** The multiples of a number above 0. */
    NumberSet multiplesOf(BigDecimal value) {
        BigDecimal factor = checked(value).stripTrailingZeros();
        boolean whole = factor.scale() <= 0;
        if (factor.compareTo(BigDecimal.ONE) == 0) {
            return integers;
        }
        if (factor.unscaledValue().equals(BigInteger.ONE)) {
            return of(powers(factor.scale()), whole);
        }
        MultipleOfAutomaton multiples = MultipleOfAutomaton.of(factor);
        if (multiples.modulus().bitLength() > MOST_MODULUS_BITS) {
            throw new IllegalArgumentException("multiples of " + value + " cannot be enforced");
        }
        return of(store.and(everything.plain(), store.machine(multiples)), whole);
    }

    /** Texts of the multiples of 10 to the power of {@code -decimals}. */
    private Regex powers(int decimals) {
        Regex zero = letter('0');
        if (decimals > 0) {
            Regex some = store.repeat(digit, 1, decimals);
            Regex limited = store.optional(store.concat(letter('.'), some, store.star(zero)));
            Regex unsigned = store.concat(store.or(zero, positiveInteger), limited);
            Regex signed = store.concat(store.optional(letter('-')), unsigned);
            return store.and(everything.plain(), signed);
        }
        Regex tens = store.concat(positiveInteger, store.repeat(zero, -decimals, -decimals));
        Regex signed = store.concat(store.optional(letter('-')), tens);
        return store.concat(store.or(zero, signed), zeros());
    }

    /**
     * Returns a number, after checking that its digits fit into an expression.
     *
     * @throws IllegalArgumentException if it has too many
     */
    private static BigDecimal checked(BigDecimal value) {
        BigDecimal bare = value.stripTrailingZeros();
        if (Math.abs((long) bare.scale()) > MOST_DIGITS || bare.precision() > MOST_DIGITS) {
            throw new IllegalArgumentException(
                    "the number has more than " + MOST_DIGITS + " digits");
        }
        return bare;
    }

    /** Texts, without a sign, of numbers from a bound above 0 on. */
    private Regex magnitudes(BigDecimal bound, boolean exclusive) {
        String[] halves = bound.toPlainString().split("\\.", 2);
        String fractional = halves.length == 1 ? "" : halves[1].replaceFirst("0+$", "");
        String whole = halves[0];
        Regex equal = store.concat(store.literal(whole), fractions(fractional, exclusive));
        if (whole.equals("0")) {
            return store.or(equal, store.concat(positiveInteger, fraction));
        }
        Regex longer =
                store.concat(range('1', '9'), store.atLeast(digit, whole.length()), fraction);
        return store.or(equal, longer, store.concat(above(whole, false), fraction));
    }

    /**
     * Digit strings that sort after another one: of its length or, if {@code free}, of any length.
     */
    private Regex above(String text, boolean free) {
        Regex above = store.nothing();
        for (int i = text.length() - 1; i >= 0; i--) {
            int rest = text.length() - 1 - i;
            Regex greater =
                    text.charAt(i) == '9'
                            ? store.nothing()
                            : store.concat(
                                    range((char) (text.charAt(i) + 1), '9'),
                                    free ? digits : store.repeat(digit, rest, rest));
            above = store.or(greater, store.concat(letter(text.charAt(i)), above));
        }
        return above;
    }

    /** Fractions, including the point, that are at least a bound given by its digits. */
    private Regex fractions(String digitsOfBound, boolean exclusive) {
        Regex more = store.concat(digits, range('1', '9'), digits);
        if (digitsOfBound.isEmpty()) {
            return exclusive ? store.concat(letter('.'), more) : fraction;
        }
        Regex equal = store.concat(store.literal(digitsOfBound), exclusive ? more : digits);
        return store.concat(letter('.'), store.or(equal, above(digitsOfBound, true)));
    }

    /** The texts that a response may have for these numbers. */
    Regex texts(NumberSet set) {
        if (set.equals(integers)) {
            return store.and(integerText, store.or(limited(MOST_TEXT_DIGITS), highest()));
        }
        if (set.exponents()) {
            Regex plain = store.concat(store.optional(letter('-')), magnitude);
            return store.or(
                    store.and(plain, store.or(limited(MOST_TEXT_DIGITS), highest())),
                    store.concat(store.and(plain, limited(MOST_MANTISSA_DIGITS)), exponent));
        }
        return set.integers() ? store.and(set.plain(), integerText) : set.plain();
    }

    /** One digit more, while the number stays below 1.7e308. */
    private Regex highest() {
        return store.concat(
                store.optional(letter('-')),
                letter('1'),
                range('0', '6'),
                store.repeat(digit, MOST_TEXT_DIGITS - 1, MOST_TEXT_DIGITS - 1));
    }

    /**
     * Limits the digits, so that every reader can represent the numbers, and no model writes digits
     * endlessly.
     */
    private Regex limited(int most) {
        Regex some = store.repeat(digit, 1, most);
        return store.concat(
                store.optional(letter('-')), some, store.optional(store.concat(letter('.'), some)));
    }
}
