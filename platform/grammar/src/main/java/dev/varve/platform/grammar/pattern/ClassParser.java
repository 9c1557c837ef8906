package dev.varve.platform.grammar.pattern;

import java.util.ArrayList;
import java.util.List;

/** Parser of a class of characters in brackets. */
final class ClassParser {
    private final PatternReader reader;
    private final EscapeParser escapes;
    private final List<CodePointSet> members = new ArrayList<>();

    private ClassParser(PatternReader reader) {
        this.reader = reader;
        escapes = new EscapeParser(reader);
    }

    /** Parses a class after its opening bracket. */
    static CodePointSet parse(PatternReader reader) {
        return new ClassParser(reader).set();
    }

    private CodePointSet set() {
        int begin = reader.index() - 1;
        boolean negated = reader.eat("^");
        while (!reader.eat("]")) {
            if (reader.isAtEnd()) {
                throw reader.failure(begin, "a class has no end");
            }
            range();
        }
        CodePointSet set = CodePointSet.union(members);
        return negated ? set.complement() : set;
    }

    private void range() {
        int begin = reader.index();
        EscapeParser.Escaped first = atom();
        if (!reader.startsWith("-")
                || reader.startsWith("-]")
                || !reader.eat("-")
                || reader.isAtEnd()) {
            members.add(first.set());
            return;
        }
        EscapeParser.Escaped last = atom();
        if (first.isClass() || last.isClass()) {
            members.addAll(List.of(first.set(), CodePointSet.of('-'), last.set()));
        } else if (first.codePoint() > last.codePoint()) {
            throw reader.failure(begin, "a range ends before it begins");
        } else {
            members.add(CodePointSet.range(first.codePoint(), last.codePoint()));
        }
    }

    private EscapeParser.Escaped atom() {
        int begin = reader.index();
        if (reader.startsWith("[:")) {
            refusePosixClass(begin);
        }
        if (!reader.eat("\\")) {
            return EscapeParser.Escaped.of(reader.next());
        }
        return reader.eat("b") ? EscapeParser.Escaped.of('\b') : escapes.escape();
    }

    /**
     * Rejects POSIX classes: ECMA-262 has none and reads their letters as members, which is never
     * intended.
     */
    private void refusePosixClass(int begin) {
        reader.eat("[:");
        while (reader.peek() >= 'a' && reader.peek() <= 'z') {
            reader.next();
        }
        if (reader.startsWith(":]")) {
            throw reader.failure(begin, "a class by name is not supported");
        }
        reader.returnTo(begin);
    }
}
