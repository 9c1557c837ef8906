package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.platform.chat.ResponseFormat;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.chat.ToolCallRequirement;
import dev.varve.platform.grammar.GrammarCompiler;
import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.GrammarSource;
import dev.varve.platform.grammar.source.TextGrammarSource;
import dev.varve.platform.tokenizer.Tokenizer;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What an answer must be. */
final class StructuredOutputArguments {
    private static final String SCHEMA = "--json-schema";
    private static final String GRAMMAR = "--grammar";

    @Option(
            names = SCHEMA,
            paramLabel = "FILE",
            description = "Answer with JSON that is valid against this schema.",
            order = 7)
    private Path schema;

    @Option(
            names = GRAMMAR,
            paramLabel = "FILE",
            description = "Answer with a text of this grammar, in GBNF.",
            order = 8)
    private Path grammar;

    /** Whether an answer must be anything. */
    boolean isGiven() {
        return schema != null || grammar != null;
    }

    /**
     * Checks what can be checked before the model is there.
     *
     * @param ignoreEos whether answers go on behind their end
     * @throws UsageException if two things contradict each other
     */
    void check(boolean ignoreEos) {
        if (schema != null && grammar != null) {
            throw new UsageException(
                    "expected one of " + SCHEMA + " and " + GRAMMAR + ", found both");
        }
        if (ignoreEos && isGiven()) {
            throw new UsageException(
                    "--ignore-eos: expected none with "
                            + (schema != null ? SCHEMA : GRAMMAR)
                            + ", whose answers have an end");
        }
    }

    /**
     * What answers must be.
     *
     * @throws UsageException if the schema is no JSON object
     * @throws VarveException if a file cannot be read, or what it says cannot be enforced
     */
    ResponseFormat form(ResponseSyntax dialect, Tokenizer tokenizer) {
        Optional<GrammarSource> source =
                schema != null
                        ? Optional.of(
                                new TextGrammarSource.Schema(
                                        CliJson.parseObject(
                                                TextFile.read(schema), schema.toString())))
                        : Optional.ofNullable(grammar)
                                .map(file -> new TextGrammarSource.Rules(TextFile.read(file)));
        try {
            return dialect.form(
                    List.of(),
                    new ToolCallRequirement.None(),
                    source,
                    new GrammarCompiler(tokenizer));
        } catch (GrammarException e) {
            Path file = schema == null ? grammar : schema;
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    file + ": " + (e.path().isEmpty() ? "" : e.path() + ": ") + e.getMessage(),
                    e);
        }
    }
}
