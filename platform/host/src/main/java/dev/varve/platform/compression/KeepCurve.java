package dev.varve.platform.compression;

import dev.varve.platform.compression.selection.KeepRatio;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Keep ratio as a function of the text length: linear between two points, and constant outside of
 * all points.
 *
 * @param points at least one, with ascending lengths
 */
public record KeepCurve(List<Point> points) {
    /** Default: the same ratio for every length. */
    public static final KeepCurve USUAL = flat(KeepRatio.USUAL);

    private static final String EXPECTED =
            "keep curve: expected points T:R such as 10000:0.5, with R in (0,1] and ascending T,"
                    + " found ";

    /**
     * A point of the curve.
     *
     * @param tokens text length, at least 0
     * @param keep part that is kept
     */
    public record Point(int tokens, KeepRatio keep) {
        /** Checks the length. */
        public Point {
            Objects.requireNonNull(keep);
            if (tokens < 0) {
                throw new IllegalArgumentException(EXPECTED + tokens + ":" + keep);
            }
        }
    }

    /** Checks the order. */
    public KeepCurve {
        points = List.copyOf(points);
        if (points.isEmpty()) {
            throw new IllegalArgumentException(EXPECTED + "none");
        }
        for (int i = 1; i < points.size(); i++) {
            if (points.get(i).tokens() <= points.get(i - 1).tokens()) {
                throw new IllegalArgumentException(
                        EXPECTED
                                + points.get(i).tokens()
                                + " behind "
                                + points.get(i - 1).tokens());
            }
        }
    }

    /** Returns a curve with the same ratio for every length. */
    public static KeepCurve flat(KeepRatio keep) {
        return new KeepCurve(List.of(new Point(0, keep)));
    }

    /**
     * Parses points.
     *
     * @param words each {@code T:R}
     * @throws IllegalArgumentException if there is no point, or one is malformed; the message names
     *     it
     */
    public static KeepCurve parse(List<String> words) {
        List<Point> points = new ArrayList<>();
        for (String word : words) {
            points.add(point(word));
        }
        return new KeepCurve(points);
    }

    private static Point point(String word) {
        int colon = word.indexOf(':');
        try {
            return new Point(
                    Integer.parseInt(word.substring(0, Math.max(0, colon))),
                    KeepRatio.parse(word.substring(colon + 1)));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(EXPECTED + "'" + word + "'", e);
        }
    }

    /** Returns the ratio for a text length. */
    public KeepRatio at(int tokens) {
        int next = 0;
        while (next < points.size() && points.get(next).tokens() < tokens) {
            next++;
        }
        if (next == 0 || next == points.size()) {
            return points.get(Math.max(0, next - 1)).keep();
        }
        return between(points.get(next - 1), points.get(next), tokens);
    }

    private static KeepRatio between(Point low, Point high, int tokens) {
        double way = (double) (tokens - low.tokens()) / (high.tokens() - low.tokens());
        return new KeepRatio((1 - way) * low.keep().value() + way * high.keep().value());
    }
}
