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

/** Options of structured output. */
final class StructuredOutputArguments {
    private static final String SCHEMA = "--json-schema";
    private static final String GRAMMAR = "--grammar";

    @Option(
            names = SCHEMA,
            paramLabel = "FILE",
            description = "Generate JSON that is valid against this schema.",
            order = 7)
    private Path schema;

    @Option(
            names = GRAMMAR,
            paramLabel = "FILE",
            description = "Generate text of this grammar, in GBNF.",
            order = 8)
    private Path grammar;

    /** Whether any option constrains the output. */
    boolean isGiven() {
        return schema != null || grammar != null;
    }

    /**
     * Checks the options before the model is loaded.
     *
     * @param ignoreEos whether generation continues after end-of-sequence tokens
     * @throws UsageException if two options contradict each other
     */
    void check(boolean ignoreEos) {
        if (schema != null && grammar != null) {
            throw new UsageException(
                    "expected one of " + SCHEMA + " and " + GRAMMAR + ", found both");
        }
        if (ignoreEos && isGiven()) {
            throw new UsageException(
                    "--ignore-eos: cannot be combined with "
                            + (schema != null ? SCHEMA : GRAMMAR)
                            + ", which ends the response");
        }
    }

    /**
     * Returns the format of responses.
     *
     * @throws UsageException if the schema is not a JSON object
     * @throws VarveException if a file cannot be read, or its content cannot be enforced
     */
    ResponseFormat form(ResponseSyntax dialect, Tokenizer tokenizer) {
        Optional<GrammarSource> source =
                schema != null
                        ? Optional.of(
                                new TextGrammarSource.Schema(
                                        CliJson.parseObject(
                                                TextFile.read("--json-schema", schema),
                                                schema.toString())))
                        : Optional.ofNullable(grammar)
                                .map(
                                        file ->
                                                new TextGrammarSource.Rules(
                                                        TextFile.read("--grammar", file)));
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
