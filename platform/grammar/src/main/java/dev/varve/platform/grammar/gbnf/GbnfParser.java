package dev.varve.platform.grammar.gbnf;

import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.pattern.CodePointSet;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Parses rules. A rule ends with its line, unless a group is open or a bar begins the next line.
 */
final class GbnfParser {
    private static final int MOST_DEPTH = 100;
    private static final int MOST_TIMES = 1 << 16;

    private final GbnfReader reader;
    private final Map<String, GbnfNode> rules = new LinkedHashMap<>();
    private int depth;

    private GbnfParser(String text) {
        reader = new GbnfReader(text);
    }

    /**
     * Parses the rules, by their names, in the order of the text.
     *
     * @throws GrammarException with line and column, if the text is malformed
     */
    static Map<String, GbnfNode> parse(String text) {
        GbnfParser parser = new GbnfParser(text);
        parser.reader.skip(true);
        while (!parser.reader.isAtEnd()) {
            parser.rule();
            parser.reader.skip(true);
        }
        parser.rules.values().forEach(node -> node.references(parser::check));
        return parser.rules;
    }

    private void check(GbnfNode.Reference reference) {
        if (!rules.containsKey(reference.rule())) {
            throw reader.failure(
                    reference.index(), "the rule " + reference.rule() + " is not defined");
        }
    }

    private void rule() {
        int begin = reader.index();
        String name = reader.name();
        if (name.isEmpty()) {
            throw reader.failure("expected the name of a rule");
        }
        reader.skip(false);
        if (!reader.eat("::=")) {
            throw reader.failure("expected '::=' after the name of a rule");
        }
        reader.skip(true);
        GbnfNode node = choice(false);
        if (!reader.isAtLineEnd()) {
            throw reader.failure("expected the end of the rule");
        }
        if (rules.put(name, node) != null) {
            throw reader.failure(begin, "the rule " + name + " is defined twice");
        }
    }

    private GbnfNode choice(boolean nested) {
        if (++depth > MOST_DEPTH) {
            throw reader.failure("groups are nested more than " + MOST_DEPTH + " deep");
        }
        List<GbnfNode> parts = new ArrayList<>();
        do {
            reader.skip(true);
            parts.add(sequence(nested));
        } while (bar());
        depth--;
        return GbnfNode.choice(parts);
    }

    /** Reads a bar, which may be on one of the next lines. */
    private boolean bar() {
        int end = reader.index();
        reader.skip(true);
        boolean found = reader.eat("|");
        if (!found) {
            reader.returnTo(end);
        }
        return found;
    }

    private GbnfNode sequence(boolean nested) {
        List<GbnfNode> parts = new ArrayList<>();
        reader.skip(nested);
        while (!reader.isAtLineEnd() && !reader.startsWith("|") && !reader.startsWith(")")) {
            if (!nested && isAtRule()) {
                throw reader.failure(
                        parts.isEmpty()
                                ? "an empty alternative must be written as \"\""
                                : "a rule must begin on a line of its own");
            }
            parts.add(repeated(part()));
            reader.skip(nested);
        }
        return GbnfNode.sequence(parts);
    }

    /** Returns whether a rule begins here. */
    private boolean isAtRule() {
        int begin = reader.index();
        boolean named = !reader.name().isEmpty();
        reader.skip(false);
        boolean found = named && reader.startsWith("::=");
        reader.returnTo(begin);
        return found;
    }

    private GbnfNode part() {
        int begin = reader.index();
        String name = reader.name();
        if (!name.isEmpty()) {
            return new GbnfNode.Reference(name, begin);
        }
        return switch (reader.next()) {
            case '"' -> literal(begin);
            case '[' -> characters(begin);
            case '.' -> new GbnfNode.Characters(CodePointSet.ALL);
            case '(' -> {
                GbnfNode group = choice(true);
                reader.skip(true);
                if (!reader.eat(")")) {
                    throw reader.failure(begin, "a group has no end");
                }
                yield group;
            }
            case '*', '+', '?', '{' -> throw reader.failure(begin, "nothing to repeat");
            case '<', '!' -> throw reader.failure(begin, "tokens are not supported");
            case '\'' -> throw reader.failure(begin, "a literal needs double quotes");
            default ->
                    throw reader.failure(begin, "expected a literal, a class, a group or a name");
        };
    }

    private GbnfNode literal(int begin) {
        StringBuilder text = new StringBuilder();
        while (!reader.eat("\"")) {
            text.appendCodePoint(character(begin, "a literal"));
        }
        return new GbnfNode.Literal(text.toString());
    }

    private GbnfNode characters(int begin) {
        boolean negated = reader.eat("^");
        List<CodePointSet> members = new ArrayList<>();
        while (!reader.eat("]")) {
            int first = character(begin, "a class");
            int last = first;
            if (reader.startsWith("-") && !reader.startsWith("-]")) {
                reader.eat("-");
                last = character(begin, "a class");
            }
            if (last < first) {
                throw reader.failure("a range ends before it begins");
            }
            members.add(CodePointSet.range(first, last));
        }
        CodePointSet set = CodePointSet.union(members);
        return new GbnfNode.Characters(negated ? set.complement() : set);
    }

    /** Reads a character, plain or as an escape. */
    private int character(int begin, String within) {
        if (reader.isAtEnd()) {
            throw reader.failure(begin, within + " has no end");
        }
        int at = reader.index();
        int codePoint = reader.next();
        if (codePoint == '\\') {
            codePoint = reader.isAtEnd() ? -1 : escaped(at, reader.next());
        }
        if (!CodePointSet.ALL.contains(codePoint)) {
            throw reader.failure(at, "expected a character of Unicode");
        }
        return codePoint;
    }

    private int escaped(int at, int letter) {
        return switch (letter) {
            case 'x' -> reader.hex(2);
            case 'u' -> reader.hex(4);
            case 'U' -> reader.hex(8);
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case '\\', '"', '[', ']', '-', '^' -> letter;
            default -> throw reader.failure(at, "an unknown escape");
        };
    }

    private GbnfNode repeated(GbnfNode part) {
        GbnfNode node = part;
        for (int count = 0; ; count++) {
            int begin = reader.index();
            GbnfNode outer = once(node);
            if (outer == node) {
                return node;
            }
            if (count == MOST_DEPTH) {
                throw reader.failure(
                        begin, "more than " + MOST_DEPTH + " repetitions of repetitions");
            }
            node = outer;
        }
    }

    private GbnfNode once(GbnfNode part) {
        if (reader.eat("*")) {
            return new GbnfNode.Repeat(part, 0, Integer.MAX_VALUE);
        }
        if (reader.eat("+")) {
            return new GbnfNode.Repeat(part, 1, Integer.MAX_VALUE);
        }
        if (reader.eat("?")) {
            return new GbnfNode.Repeat(part, 0, 1);
        }
        return reader.startsWith("{") ? counted(part) : part;
    }

    private GbnfNode counted(GbnfNode part) {
        int begin = reader.index();
        reader.eat("{");
        reader.skip(false);
        int least = reader.number(MOST_TIMES + 1);
        int most = least;
        reader.skip(false);
        if (reader.eat(",")) {
            reader.skip(false);
            int number = reader.number(MOST_TIMES + 1);
            most = number < 0 ? Integer.MAX_VALUE : number;
            least = Math.max(0, least);
        }
        reader.skip(false);
        if (least < 0 || !reader.eat("}")) {
            throw reader.failure(begin, "expected {m}, {m,} or {m,n}");
        }
        if (least > MOST_TIMES || most > MOST_TIMES && most < Integer.MAX_VALUE) {
            throw reader.failure(begin, "a repetition of more than " + MOST_TIMES + " times");
        }
        if (most < least) {
            throw reader.failure(begin, "the lower bound of a repetition exceeds its upper bound");
        }
        return most == 0 ? GbnfNode.EMPTY : new GbnfNode.Repeat(part, least, most);
    }
}
