package dev.varve.platform.grammar.pattern;

import java.text.Normalizer;
import java.util.Locale;
import java.util.function.IntPredicate;

/**
 * The letters of RFC 5892 that are permitted at any position of a label: stable under case folding
 * and compatible composition, in the basic plane, no marks, and none with a rule of its own. In the
 * notation of members of a pattern's class.
 */
final class IdnLetters {
    /** The modifier letters that Japanese uses. */
    private static final CodePointSet MODIFIERS =
            CodePointSet.ranges(0x3005, 0x3005, 0x30FC, 0x30FC);

    private static final CodePointSet OLD_HANGUL =
            CodePointSet.ranges(0x1100, 0x11FF, 0xA960, 0xA97F, 0xD7B0, 0xD7FF);

    private IdnLetters() {}

    /** The tables; created at the first use. */
    private static final class Tables {
        private static final String LEFT_TO_RIGHT =
                members(
                        codePoint ->
                                Character.getDirectionality(codePoint)
                                        == Character.DIRECTIONALITY_LEFT_TO_RIGHT);
        private static final String RIGHT_TO_LEFT =
                members(
                        codePoint ->
                                switch (Character.getDirectionality(codePoint)) {
                                    case Character.DIRECTIONALITY_RIGHT_TO_LEFT,
                                            Character.DIRECTIONALITY_RIGHT_TO_LEFT_ARABIC ->
                                            true;
                                    default -> false;
                                });
    }

    static String leftToRight() {
        return Tables.LEFT_TO_RIGHT;
    }

    static String rightToLeft() {
        return Tables.RIGHT_TO_LEFT;
    }

    private static String members(IntPredicate direction) {
        StringBuilder members = new StringBuilder();
        int first = -1;
        for (int codePoint = 0x80; codePoint <= 0x10000; codePoint++) {
            boolean in = codePoint < 0x10000 && direction.test(codePoint) && isFree(codePoint);
            if (in && first < 0) {
                first = codePoint;
            } else if (!in && first >= 0) {
                members.appendCodePoint(first).append('-').appendCodePoint(codePoint - 1);
                first = -1;
            }
        }
        return members.toString();
    }

    private static boolean isFree(int codePoint) {
        int type = Character.getType(codePoint);
        return (type == Character.LOWERCASE_LETTER
                        || type == Character.OTHER_LETTER
                        || MODIFIERS.contains(codePoint))
                && !OLD_HANGUL.contains(codePoint)
                && isStable(Character.toString(codePoint));
    }

    private static boolean isStable(String letter) {
        String folded = compose(compose(letter).toLowerCase(Locale.ROOT));
        return folded.equals(letter);
    }

    private static String compose(String text) {
        return Normalizer.normalize(text, Normalizer.Form.NFKC);
    }
}
