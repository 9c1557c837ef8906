package dev.varve.platform.grammar.gbnf;

import java.util.Random;

/** Small grammars of three rules over the letters a and b. */
final class RandomGrammars {
    private static final String[] PARTS = {
        "\"a\"", "\"b\"", "\"ab\"", "\"\"", "[ab]", "[^a]", "root", "x", "y-1", "x", "y-1"
    };
    private static final String[] REPEATS = {"*", "+", "?", "{2}", "{0,2}", "{1,}"};

    private final Random random;

    RandomGrammars(Random random) {
        this.random = random;
    }

    String grammar() {
        return "root ::= " + choice(2) + "\nx ::= " + choice(2) + "\ny-1 ::= " + choice(1) + "\n";
    }

    private String choice(int depth) {
        StringBuilder text = new StringBuilder(sequence(depth));
        while (random.nextInt(3) == 0) {
            text.append(random.nextBoolean() ? " | " : "\n  | ").append(sequence(depth));
        }
        return text.toString();
    }

    private String sequence(int depth) {
        StringBuilder text = new StringBuilder(part(depth));
        while (random.nextInt(2) == 0) {
            text.append(' ').append(part(depth));
        }
        return text.toString();
    }

    private String part(int depth) {
        String part =
                depth > 0 && random.nextInt(4) == 0
                        ? "(" + choice(depth - 1) + ")"
                        : PARTS[random.nextInt(PARTS.length)];
        return random.nextInt(4) == 0 ? part + REPEATS[random.nextInt(REPEATS.length)] : part;
    }

    String text() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(6); i > 0; i--) {
            text.append(random.nextBoolean() ? 'a' : 'b');
        }
        return text.toString();
    }
}
