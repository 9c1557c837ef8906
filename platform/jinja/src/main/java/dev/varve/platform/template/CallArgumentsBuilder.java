package dev.varve.platform.template;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Collects the arguments of a call in the order that Python permits. */
final class CallArgumentsBuilder {
    private final List<Expr> positional = new ArrayList<>();
    private final List<Expr.Named> keywords = new ArrayList<>();
    private Optional<Expr> starred = Optional.empty();
    private Optional<Expr> doubleStarred = Optional.empty();

    boolean isEmpty() {
        return positional.isEmpty()
                && keywords.isEmpty()
                && starred.isEmpty()
                && doubleStarred.isEmpty();
    }

    void positional(Expr value, int line) {
        check(keywords.isEmpty() && starred.isEmpty() && doubleStarred.isEmpty(), line);
        positional.add(value);
    }

    void keyword(String name, Expr value, int line) {
        check(
                doubleStarred.isEmpty()
                        && keywords.stream().noneMatch(named -> named.name().equals(name)),
                line);
        keywords.add(new Expr.Named(name, value));
    }

    void starred(Expr value, int line) {
        check(starred.isEmpty() && doubleStarred.isEmpty(), line);
        starred = Optional.of(value);
    }

    void doubleStarred(Expr value, int line) {
        check(doubleStarred.isEmpty(), line);
        doubleStarred = Optional.of(value);
    }

    private static void check(boolean allowed, int line) {
        if (!allowed) {
            throw TemplateException.at(
                    line, "the arguments of a call are out of order or repeated");
        }
    }

    Expr.CallArguments build() {
        return new Expr.CallArguments(
                List.copyOf(positional), List.copyOf(keywords), starred, doubleStarred);
    }
}
