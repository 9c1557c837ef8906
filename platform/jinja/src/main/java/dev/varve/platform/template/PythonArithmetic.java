package dev.varve.platform.template;

import dev.varve.platform.template.Expr.Arithmetic;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Optional;

/**
 * Arithmetic with Python's rules: integers have no fixed size, up to a limit, and division rounds
 * towards minus infinity.
 */
final class PythonArithmetic {
    /** Maximum number of digits that Python prints. */
    static final int MAX_DIGITS = 4300;

    private static final int MAX_BITS = 14_284;

    private PythonArithmetic() {}

    /** Returns the integer value of an {@code int} or {@code bool}. */
    static Optional<BigInteger> integer(Value value) {
        return switch (value) {
            case Value.Int integer -> Optional.of(integer.value());
            case Value.Bool bool -> Optional.of(bool.value() ? BigInteger.ONE : BigInteger.ZERO);
            default -> Optional.empty();
        };
    }

    static boolean isNumber(Value value) {
        return value instanceof Value.Int
                || value instanceof Value.Bool
                || value instanceof Value.Real;
    }

    static double real(Value value) {
        double real =
                value instanceof Value.Real(double number)
                        ? number
                        : integer(value)
                                .map(BigInteger::doubleValue)
                                .orElseThrow(
                                        () ->
                                                new EvaluationError(
                                                        "expected a number, found "
                                                                + value.typeName()));
        if (Double.isInfinite(real) && !(value instanceof Value.Real)) {
            throw new EvaluationError("an integer is too large for a float");
        }
        return real;
    }

    /** Returns an integer as an {@code int}, clamped to its range. */
    static int index(Value value, String user) {
        BigInteger integer =
                integer(value)
                        .orElseThrow(
                                () ->
                                        new EvaluationError(
                                                user
                                                        + " expects an integer, found "
                                                        + value.typeName()));
        if (integer.bitLength() > 31) {
            return integer.signum() < 0 ? Integer.MIN_VALUE : Integer.MAX_VALUE;
        }
        return integer.intValue();
    }

    static Value checked(BigInteger value) {
        if (value.bitLength() > MAX_BITS) {
            throw new EvaluationError("an integer has more than " + MAX_DIGITS + " digits");
        }
        return new Value.Int(value);
    }

    static Value negated(Value value) {
        return value instanceof Value.Real(double number)
                ? new Value.Real(-number)
                : new Value.Int(
                        integer(value)
                                .orElseThrow(
                                        () ->
                                                new EvaluationError(
                                                        "bad operand for a sign: "
                                                                + value.typeName()))
                                .negate());
    }

    static Value arithmetic(Arithmetic operator, Value left, Value right) {
        if (left instanceof Value.Real || right instanceof Value.Real) {
            return new Value.Real(real(operator, real(left), real(right)));
        }
        BigInteger a = integer(left).orElseThrow();
        BigInteger b = integer(right).orElseThrow();
        return switch (operator) {
            case ADD -> checked(a.add(b));
            case SUBTRACT -> checked(a.subtract(b));
            case MULTIPLY -> checked(a.multiply(b));
            case DIVIDE -> new Value.Real(quotient(a, nonZero(b)));
            case FLOOR_DIVIDE -> new Value.Int(floorDivide(a, nonZero(b)));
            case REMAINDER -> new Value.Int(a.subtract(floorDivide(a, nonZero(b)).multiply(b)));
            case POWER -> power(a, b);
        };
    }

    private static BigInteger nonZero(BigInteger divisor) {
        if (divisor.signum() == 0) {
            throw new EvaluationError("division by zero");
        }
        return divisor;
    }

    private static BigInteger floorDivide(BigInteger a, BigInteger b) {
        BigInteger[] parts = a.divideAndRemainder(b);
        boolean below = parts[1].signum() != 0 && parts[1].signum() != b.signum();
        return below ? parts[0].subtract(BigInteger.ONE) : parts[0];
    }

    private static double quotient(BigInteger a, BigInteger b) {
        if (a.bitLength() <= 53 && b.bitLength() <= 53) {
            return a.doubleValue() / b.doubleValue();
        }
        double quotient =
                new BigDecimal(a).divide(new BigDecimal(b), new MathContext(60)).doubleValue();
        if (Double.isInfinite(quotient)) {
            throw new EvaluationError("the result of a division is too large for a float");
        }
        return quotient;
    }

    private static Value power(BigInteger base, BigInteger exponent) {
        if (exponent.signum() < 0) {
            return new Value.Real(
                    real(Arithmetic.POWER, base.doubleValue(), exponent.doubleValue()));
        }
        if (base.bitLength() <= 1 && base.abs().compareTo(BigInteger.ONE) <= 0) {
            return new Value.Int(
                    base.pow(exponent.signum() == 0 ? 0 : exponent.testBit(0) ? 1 : 2));
        }
        if (exponent.bitLength() > 31
                || exponent.longValue() * (base.bitLength() - 1L) > MAX_BITS) {
            throw new EvaluationError("an integer has more than " + MAX_DIGITS + " digits");
        }
        return checked(base.pow(exponent.intValue()));
    }

    private static double real(Arithmetic operator, double a, double b) {
        return switch (operator) {
            case ADD -> a + b;
            case SUBTRACT -> a - b;
            case MULTIPLY -> a * b;
            case DIVIDE -> a / nonZero(b);
            case FLOOR_DIVIDE -> floorDivide(a, nonZero(b));
            case REMAINDER -> remainder(a, nonZero(b));
            case POWER -> power(a, b);
        };
    }

    private static double nonZero(double divisor) {
        if (divisor == 0) {
            throw new EvaluationError("division by zero");
        }
        return divisor;
    }

    private static double remainder(double a, double b) {
        double remainder = a % b;
        if (remainder == 0) {
            return Math.copySign(0, b);
        }
        return (b < 0) == (remainder < 0) ? remainder : remainder + b;
    }

    private static double floorDivide(double a, double b) {
        double quotient = (a - remainder(a, b)) / b;
        double floor = Math.floor(quotient);
        double result = quotient - floor > 0.5 ? floor + 1 : floor;
        return result == 0 ? Math.copySign(0, a / b) : result;
    }

    private static double power(double a, double b) {
        double power = Math.pow(a, b);
        boolean invalid =
                a == 0 && b < 0 || Double.isNaN(power) && !Double.isNaN(a) && !Double.isNaN(b);
        boolean overflow =
                Double.isInfinite(power) && !Double.isInfinite(a) && !Double.isInfinite(b);
        if (invalid || overflow) {
            throw new EvaluationError("a power has no finite real result");
        }
        return power;
    }

    /** Rounds half to even on the exact value, as Python's {@code round} does. */
    static Value rounded(Value value, int digits) {
        if (value instanceof Value.Real(double number)) {
            boolean exact = Double.isNaN(number) || Double.isInfinite(number) || digits > 400;
            if (exact) {
                return value;
            }
            double result =
                    new BigDecimal(number)
                            .setScale(Math.max(digits, -400), RoundingMode.HALF_EVEN)
                            .doubleValue();
            return new Value.Real(result == 0 ? Math.copySign(0, number) : result);
        }
        BigInteger integer =
                integer(value)
                        .orElseThrow(
                                () ->
                                        new EvaluationError(
                                                "round expects a number, found "
                                                        + value.typeName()));
        BigDecimal rounded =
                new BigDecimal(integer)
                        .setScale(
                                Math.max(Math.min(digits, 0), -MAX_DIGITS), RoundingMode.HALF_EVEN);
        return new Value.Int(rounded.toBigInteger());
    }
}
