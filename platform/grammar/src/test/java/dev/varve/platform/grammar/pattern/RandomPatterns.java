package dev.varve.platform.grammar.pattern;

import java.util.Random;

/** Random patterns that ECMA-262 and Java read alike, and texts with and without a match. */
final class RandomPatterns {
    private static final String[] CHARACTERS = {
        "a", "b", "c", "-", "é", "😀", ".", "[ab]", "[^a]", "\\w", "\\W", "\\d", "[b-é]", "[\\w-]",
        "\\.", "\\p{Lu}", "\\u0062", "\\x61"
    };
    private static final String[] QUANTIFIERS = {
        "*", "+", "?", "{2}", "{1,2}", "{0,3}", "*?", "{2,}"
    };
    private static final String[] POSITIONS = {
        "^", "$", "\\b", "\\B", "(?<=a)", "(?<![ab])", "(?<=[^b])", "(?<!\\w)"
    };
    private static final String[] TEXTS = {"a", "b", "c", "-", "é", "😀", "1", ".", "Z"};

    private final Random random;

    RandomPatterns(Random random) {
        this.random = random;
    }

    String pattern() {
        return choice(3);
    }

    private String choice(int depth) {
        StringBuilder text = new StringBuilder(sequence(depth));
        while (random.nextInt(4) == 0) {
            text.append('|').append(sequence(depth));
        }
        return text.toString();
    }

    private String sequence(int depth) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(4); i >= 0; i--) {
            text.append(term(depth));
        }
        return text.toString();
    }

    private String term(int depth) {
        int kind = random.nextInt(depth == 0 ? 5 : 9);
        return switch (kind) {
            case 0, 1, 2 -> one(CHARACTERS);
            case 3 -> one(CHARACTERS) + one(QUANTIFIERS);
            case 4 -> one(POSITIONS);
            case 5 -> "(?=" + choice(depth - 1) + ")";
            case 6 -> "(?!" + choice(depth - 1) + ")";
            case 7 -> "(" + choice(depth - 1) + ")" + one(QUANTIFIERS);
            default -> "(?:" + choice(depth - 1) + ")";
        };
    }

    String text() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(7); i > 0; i--) {
            text.append(one(TEXTS));
        }
        return text.toString();
    }

    private String one(String... of) {
        return of[random.nextInt(of.length)];
    }
}
