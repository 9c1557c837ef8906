package dev.varve.platform.template;

import dev.varve.platform.template.TemplateToken.Kind;

import java.util.List;

/** The tokens of a template with a reading position. */
final class TemplateTokenStream {
    private final List<TemplateToken> tokens;
    private int at;

    TemplateTokenStream(List<TemplateToken> tokens) {
        this.tokens = tokens;
    }

    TemplateToken current() {
        return tokens.get(at);
    }

    TemplateToken lookAhead() {
        return tokens.get(Math.min(at + 1, tokens.size() - 1));
    }

    TemplateToken next() {
        TemplateToken token = current();
        if (!token.is(Kind.END)) {
            at++;
        }
        return token;
    }

    boolean skipOperator(String operator) {
        boolean found = current().isOperator(operator);
        if (found) {
            next();
        }
        return found;
    }

    boolean skipName(String name) {
        boolean found = current().isName(name);
        if (found) {
            next();
        }
        return found;
    }

    TemplateToken expect(Kind kind, String described) {
        if (!current().is(kind)) {
            throw unexpected(described);
        }
        return next();
    }

    void expectOperator(String operator) {
        if (!skipOperator(operator)) {
            throw unexpected("'" + operator + "'");
        }
    }

    void expectName(String name) {
        if (!skipName(name)) {
            throw unexpected("'" + name + "'");
        }
    }

    TemplateException unexpected(String expected) {
        return TemplateException.at(
                current().line(), "expected " + expected + ", found " + current().described());
    }
}
