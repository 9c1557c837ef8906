package dev.varve.platform.grammar.cfg;

/** A position within an alternative, with the next symbol, if any. */
final class DottedRule {
    /** After the last symbol. */
    static final int END = Integer.MIN_VALUE;

    final int id;
    final Nonterminal owner;

    /** Number of a terminal, the complement of a nonterminal's, or {@link #END}. */
    final int symbol;

    /** The position after that symbol; null at the end. */
    final DottedRule next;

    DottedRule(int id, Nonterminal owner, int symbol, DottedRule next) {
        this.id = id;
        this.owner = owner;
        this.symbol = symbol;
        this.next = next;
    }

    boolean isEnd() {
        return symbol == END;
    }

    boolean isTerminal() {
        return symbol >= 0;
    }
}
