package dev.varve.platform.grammar;

import dev.varve.platform.grammar.cfg.GrammarBuilder;

/** What a text must look like, as somebody wrote it. */
public interface GrammarSource {
    /** Tells it from every other one: sources with the same key mean the same texts. */
    String key();

    /**
     * Adds its rules to a grammar.
     *
     * @return the symbol whose texts are meant
     * @throws GrammarException if it is wrong or cannot be enforced
     */
    int build(GrammarBuilder builder);
}
