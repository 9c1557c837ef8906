package dev.varve.platform.template;

/**
 * A piece of template source.
 *
 * @param text the data, name, operator or number as written; for strings the decoded content
 * @param line line of its first character, counted from 1
 */
record TemplateToken(Kind kind, String text, int line) {
    enum Kind {
        DATA,
        BLOCK_BEGIN,
        BLOCK_END,
        VARIABLE_BEGIN,
        VARIABLE_END,
        NAME,
        STRING,
        INTEGER,
        FLOAT,
        OPERATOR,
        END
    }

    boolean is(Kind wanted) {
        return kind == wanted;
    }

    boolean isName(String name) {
        return kind == Kind.NAME && text.equals(name);
    }

    boolean isOperator(String operator) {
        return kind == Kind.OPERATOR && text.equals(operator);
    }

    /** Returns the description of this token for an error message. */
    String described() {
        return switch (kind) {
            case DATA -> "text";
            case BLOCK_BEGIN -> "'{%'";
            case BLOCK_END -> "'%}'";
            case VARIABLE_BEGIN -> "'{{'";
            case VARIABLE_END -> "'}}'";
            case STRING -> "a string";
            case END -> "the end of the template";
            case NAME, INTEGER, FLOAT, OPERATOR -> "'" + text + "'";
        };
    }
}
