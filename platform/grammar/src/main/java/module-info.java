/** Grammars, regular expressions and JSON schemas as masks over the tokens of a vocabulary. */
module dev.varve.platform.grammar {
    requires transitive dev.varve.platform.base;
    requires transitive dev.varve.platform.text;
    requires java.management;
    requires transitive tools.jackson.databind;

    exports dev.varve.platform.grammar;
    exports dev.varve.platform.grammar.cfg;
    exports dev.varve.platform.grammar.mask;
    exports dev.varve.platform.grammar.pattern;
    exports dev.varve.platform.grammar.regex;
    exports dev.varve.platform.grammar.schema;
    exports dev.varve.platform.grammar.source;
    exports dev.varve.platform.grammar.trial;
}
