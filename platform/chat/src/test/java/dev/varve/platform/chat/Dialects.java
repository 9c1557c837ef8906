package dev.varve.platform.chat;

import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.ReasoningMarks;
import dev.varve.api.model.ToolSyntax;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntConsumer;

/** The dialects of the supported families, and answers in them. */
enum Dialects {
    QWEN3(FamilyDialect.QWEN3.dialect()),
    QWEN35(FamilyDialect.QWEN35.dialect()),
    LAGUNA(FamilyDialect.LAGUNA.dialect()),
    GEMMA(FamilyDialect.GEMMA.dialect());

    static final ObjectMapper JSON = new ObjectMapper();

    static final String[] SPECIALS = {
        "<think>",
        "</think>",
        "<tool_call>",
        "</tool_call>",
        "<|channel>",
        "<channel|>",
        "<|tool_call>",
        "<tool_call|>",
        "<|\"|>",
        "<|end|>"
    };

    /** Every byte is a token, so every answer is split everywhere. */
    static final Tokenizer BYTES = TestTokenizers.ofBytes(SPECIALS);

    static final Tokenizer VISIBLE_BYTES = TestTokenizers.ofBytesAndVisible(SPECIALS);

    final ReasoningMarks marks;
    final ToolSyntax syntax;

    Dialects(ChatDialect dialect) {
        marks = dialect.reasoning().orElseThrow();
        syntax = dialect.tools().orElseThrow();
    }

    ResponseSyntax with(Tokenizer tokenizer) {
        return ResponseSyntax.of(
                new ChatDialect(Optional.of(marks), Optional.of(syntax)), tokenizer);
    }

    /** All of an answer whose text is given, special tokens spelled out. */
    Answer read(String prompt, String text, ResponseOptions options) {
        return read(BYTES, BYTES.encode(prompt, true), BYTES.encode(text, true), options);
    }

    Answer read(String text, ToolDeclaration... tools) {
        return read("", text, options(tools));
    }

    Answer read(Tokenizer tokenizer, int[] prompt, int[] tokens, ResponseOptions options) {
        return Answer.of(with(tokenizer).open(prompt, options).text(), tokens);
    }

    static ResponseOptions options(ToolDeclaration... tools) {
        return options(List.of(), tools);
    }

    static ResponseOptions options(List<String> stops, ToolDeclaration... tools) {
        return new ResponseOptions(
                List.of(tools), stops, OptionalInt.empty(), new ToolCallRequirement.None());
    }

    /** A tool whose schema is JSON with single quotes. */
    static ToolDeclaration tool(String name, String properties) {
        return new ToolDeclaration(
                name,
                JSON.readTree(
                        ("{'type':'object','properties':{" + properties + "}}")
                                .replace('\'', '"')));
    }

    /** A call with its arguments as text. */
    record Call(String name, String arguments) {
        JsonNode json() {
            return JSON.readTree(arguments);
        }
    }

    /** All of an answer. */
    record Answer(
            String reasoning, String content, List<Call> calls, ResponseParser text, int pieces) {
        static Answer of(ResponseParser text, int[] tokens) {
            return of(text, tokens, token -> {});
        }

        /**
         * Likewise.
         *
         * @param before gets each token before the parser reads it
         */
        static Answer of(ResponseParser text, int[] tokens, IntConsumer before) {
            StringBuilder reasoning = new StringBuilder();
            StringBuilder content = new StringBuilder();
            List<String> names = new ArrayList<>();
            List<StringBuilder> arguments = new ArrayList<>();
            int count = 0;
            for (int index = 0; index <= tokens.length; index++) {
                if (index < tokens.length) {
                    before.accept(tokens[index]);
                }
                ResponseParser.Piece piece =
                        index < tokens.length ? text.push(tokens[index]) : text.finish();
                count += piece.isEmpty() ? 0 : 1;
                reasoning.append(piece.reasoning());
                content.append(piece.content());
                for (ToolCallDelta delta : piece.calls()) {
                    delta.name()
                            .ifPresent(
                                    name -> {
                                        names.add(name);
                                        arguments.add(new StringBuilder());
                                    });
                    if (delta.index() != names.size() - 1) {
                        throw new AssertionError(
                                delta + " of call " + names + " in " + Arrays.toString(tokens));
                    }
                    arguments.get(delta.index()).append(delta.arguments());
                }
            }
            List<Call> calls = new ArrayList<>();
            for (int index = 0; index < names.size(); index++) {
                calls.add(new Call(names.get(index), arguments.get(index).toString()));
            }
            return new Answer(reasoning.toString(), content.toString(), calls, text, count);
        }

        /** Name and arguments of the only call. */
        Call call() {
            if (calls.size() != 1) {
                throw new AssertionError("expected one call, found " + this);
            }
            return calls.get(0);
        }
    }
}
