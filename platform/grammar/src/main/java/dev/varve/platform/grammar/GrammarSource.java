package dev.varve.platform.grammar;

import dev.varve.platform.grammar.cfg.GrammarBuilder;

/** A description of the permitted texts, as a client wrote it. */
public interface GrammarSource {
    /** Identifies the source: sources with the same key permit the same texts. */
    String key();

    /**
     * Adds its rules to a grammar.
     *
     * @return the symbol of the permitted texts
     * @throws GrammarException if it is wrong or cannot be enforced
     */
    int build(GrammarBuilder builder);
}
