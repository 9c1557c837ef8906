package dev.varve.platform.grammar.pattern;

import java.util.ArrayList;
import java.util.List;

/**
 * Parser of ECMA-262 patterns, in Unicode mode plus the escapes and braces that annex B permits.
 */
final class PatternParser {
    private static final int MOST_DEPTH = 200;
    private static final int MOST_LEAST = 1 << 24;
    private static final List<String> POSITIONS = List.of("^", "$", "\\b", "\\B", "(?<=", "(?<!");
    private static final PatternNode EMPTY = new PatternNode.Sequence(List.of());

    private final PatternReader reader;
    private int depth;

    private PatternParser(String pattern) {
        reader = new PatternReader(pattern);
    }

    /**
     * @throws PatternException if the pattern is invalid or needs an unsupported feature
     */
    static PatternNode parse(String pattern) {
        PatternParser parser = new PatternParser(pattern);
        PatternNode node = parser.choice();
        if (!parser.reader.isAtEnd()) {
            throw parser.reader.failure("')' without '('");
        }
        return node;
    }

    private PatternNode choice() {
        if (++depth > MOST_DEPTH) {
            throw reader.failure("groups are nested more than " + MOST_DEPTH + " deep");
        }
        List<PatternNode> parts = new ArrayList<>();
        do {
            parts.add(sequence());
        } while (reader.eat("|"));
        depth--;
        return parts.size() == 1 ? parts.getFirst() : new PatternNode.Choice(parts);
    }

    private PatternNode sequence() {
        List<PatternNode> parts = new ArrayList<>();
        while (!reader.isAtEnd() && !reader.startsWith("|") && !reader.startsWith(")")) {
            boolean position = isAtPosition();
            PatternNode atom = atom();
            parts.add(position ? unquantified(atom) : quantified(atom));
        }
        return parts.size() == 1 ? parts.getFirst() : new PatternNode.Sequence(parts);
    }

    /** Returns whether the next part is a condition that must not be repeated. */
    private boolean isAtPosition() {
        return POSITIONS.stream().anyMatch(reader::startsWith);
    }

    private PatternNode atom() {
        int begin = reader.index();
        if (reader.startsWith("{") && bounds() != null) {
            throw reader.failure(begin, "nothing to repeat");
        }
        reader.returnTo(begin);
        int letter = reader.next();
        return switch (letter) {
            case '^' -> new PatternNode.Begin();
            case '$' -> new PatternNode.End();
            case '.' -> new PatternNode.Characters(CharacterClasses.DOT);
            case '[' -> new PatternNode.Characters(ClassParser.parse(reader));
            case '(' -> group(begin);
            case '\\' -> escape();
            case '*', '+', '?' -> throw reader.failure(begin, "nothing to repeat");
            default -> new PatternNode.Characters(CodePointSet.of(letter));
        };
    }

    private PatternNode escape() {
        if (reader.eat("b")) {
            return wordEdge(false);
        }
        if (reader.eat("B")) {
            return wordEdge(true);
        }
        return new PatternNode.Characters(new EscapeParser(reader).escape().set());
    }

    private static PatternNode wordEdge(boolean negative) {
        PatternNode word = new PatternNode.Characters(CharacterClasses.WORD);
        return new PatternNode.Choice(
                List.of(
                        new PatternNode.Sequence(
                                List.of(
                                        new PatternNode.Behind(CharacterClasses.WORD),
                                        new PatternNode.Ahead(word, !negative))),
                        new PatternNode.Sequence(
                                List.of(
                                        notBehind(CharacterClasses.WORD),
                                        new PatternNode.Ahead(word, negative)))));
    }

    private static PatternNode notBehind(CodePointSet set) {
        return new PatternNode.Choice(
                List.of(new PatternNode.Begin(), new PatternNode.Behind(set.complement())));
    }

    private PatternNode group(int begin) {
        PatternNode node;
        if (!reader.eat("?")) {
            node = choice();
        } else if (reader.eat(":")) {
            node = choice();
        } else if (reader.eat("=")) {
            node = new PatternNode.Ahead(choice(), false);
        } else if (reader.eat("!")) {
            node = new PatternNode.Ahead(choice(), true);
        } else if (reader.eat("<=")) {
            node = behind(begin, choice(), false);
        } else if (reader.eat("<!")) {
            node = behind(begin, choice(), true);
        } else if (reader.eat("<")) {
            name(begin);
            node = choice();
        } else {
            throw reader.failure(begin, "a group of an unknown or unsupported kind");
        }
        if (!reader.eat(")")) {
            throw reader.failure(begin, "a group has no end");
        }
        return node;
    }

    private void name(int begin) {
        String name = reader.until('>');
        if (!name.matches("[\\p{L}_$][\\p{L}\\p{N}_$]*")) {
            throw reader.failure(begin, "the name of a group is not valid");
        }
    }

    private PatternNode behind(int begin, PatternNode part, boolean negative) {
        List<PatternNode> choices =
                part instanceof PatternNode.Choice choice ? choice.parts() : List.of(part);
        CodePointSet set = CodePointSet.NONE;
        boolean orBegin = false;
        for (PatternNode choice : choices) {
            switch (choice) {
                case PatternNode.Characters characters -> set = set.union(characters.set());
                case PatternNode.Begin _ -> orBegin = true;
                default ->
                        throw reader.failure(
                                begin,
                                "a lookbehind of more or less than one character is not supported");
            }
        }
        if (orBegin) {
            return negative
                    ? new PatternNode.Behind(set.complement())
                    : notBehind(set.complement());
        }
        return negative ? notBehind(set) : new PatternNode.Behind(set);
    }

    /** Bounds of a repetition. */
    private record Bounds(int least, int most) {}

    private PatternNode unquantified(PatternNode atom) {
        int begin = reader.index();
        if (bounds() != null) {
            throw reader.failure(begin, "nothing to repeat");
        }
        return atom;
    }

    private PatternNode quantified(PatternNode atom) {
        int begin = reader.index();
        Bounds bounds = bounds();
        if (bounds == null) {
            return atom;
        }
        reader.eat("?");
        if (bounds.least > bounds.most) {
            throw reader.failure(begin, "the lower bound of a repetition exceeds its upper bound");
        }
        if (bounds.least > MOST_LEAST) {
            throw reader.failure(begin, "a repetition of more than " + MOST_LEAST + " times");
        }
        return bounds.most == 0 ? EMPTY : new PatternNode.Repeat(atom, bounds.least, bounds.most);
    }

    /** Parses a quantifier; null, and nothing is read, if there is none. */
    private Bounds bounds() {
        int begin = reader.index();
        if (reader.eat("*")) {
            return new Bounds(0, Integer.MAX_VALUE);
        }
        if (reader.eat("+")) {
            return new Bounds(1, Integer.MAX_VALUE);
        }
        if (reader.eat("?")) {
            return new Bounds(0, 1);
        }
        if (reader.eat("{")) {
            int least = reader.number();
            int most = least;
            if (reader.eat(",")) {
                most = reader.number();
                most = most < 0 ? Integer.MAX_VALUE : most;
            }
            if (least >= 0 && reader.eat("}")) {
                return new Bounds(least, most);
            }
        }
        reader.returnTo(begin);
        return null;
    }
}
