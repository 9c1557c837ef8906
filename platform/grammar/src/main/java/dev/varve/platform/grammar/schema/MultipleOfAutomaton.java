package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.regex.AutomatonState;
import dev.varve.platform.grammar.regex.ByteSet;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Optional;

/**
 * Reads decimal texts whose value is a multiple of {@code modulus / 10^scale}. Does not check signs
 * and leading zeros: it is meant to be intersected with the texts of numbers.
 *
 * @param remainder of the digits read, as a whole number
 * @param decimals number of digits after the point; -1 before the point
 */
record MultipleOfAutomaton(BigInteger modulus, int scale, BigInteger remainder, int decimals)
        implements AutomatonState {
    private static final ByteSet ALPHABET =
            ByteSet.range('0', '9').or(ByteSet.of('.')).or(ByteSet.of('-'));

    /** The multiples of a number above 0. */
    static MultipleOfAutomaton of(BigDecimal factor) {
        int scale = Math.max(0, factor.scale());
        BigInteger modulus = factor.movePointRight(scale).toBigIntegerExact();
        return new MultipleOfAutomaton(modulus, scale, BigInteger.ZERO, -1);
    }

    @Override
    public boolean accepts() {
        return scaled().signum() == 0;
    }

    private BigInteger scaled() {
        int missing = scale - Math.max(0, decimals);
        return remainder.multiply(BigInteger.TEN.pow(missing)).mod(modulus);
    }

    @Override
    public Optional<AutomatonState> next(int value) {
        if (value == '-') {
            return Optional.of(this);
        }
        if (value == '.') {
            return decimals >= 0 ? Optional.empty() : live(remainder, 0);
        }
        if (decimals == scale) {
            return value == '0' && remainder.signum() == 0 ? Optional.of(this) : Optional.empty();
        }
        BigInteger next = remainder.multiply(BigInteger.TEN).add(BigInteger.valueOf(value - '0'));
        return live(next.mod(modulus), decimals < 0 ? -1 : decimals + 1);
    }

    private static boolean canEnd(MultipleOfAutomaton state) {
        if (state.decimals < 0) {
            return true;
        }
        BigInteger gap = state.scaled().negate().mod(state.modulus);
        return gap.compareTo(BigInteger.TEN.pow(state.scale - state.decimals)) < 0;
    }

    private Optional<AutomatonState> live(BigInteger nextRemainder, int nextDecimals) {
        MultipleOfAutomaton next =
                new MultipleOfAutomaton(modulus, scale, nextRemainder, nextDecimals);
        return canEnd(next) ? Optional.of(next) : Optional.empty();
    }

    @Override
    public ByteSet alphabet() {
        return ALPHABET;
    }
}
