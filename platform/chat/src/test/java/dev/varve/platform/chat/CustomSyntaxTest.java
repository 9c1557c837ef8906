package dev.varve.platform.chat;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.CallableTool;
import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.ToolCallOutput;
import dev.varve.api.model.ToolCallParser;
import dev.varve.api.model.ToolSyntax;
import dev.varve.platform.chat.Dialects.Answer;
import dev.varve.platform.chat.Dialects.Call;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Calls that a family's own parser reads. */
class CustomSyntaxTest {
    private static final ToolDeclaration ADD =
            Dialects.tool("add", "'a':{'type':'integer'},'b':{'type':'integer'}");
    private static final ToolDeclaration SAY = Dialects.tool("say", "'text':{'type':'string'}");

    private static final List<String> SCRAPS =
            List.of(
                    "<tool_call>",
                    "</tool_call>",
                    "<think>",
                    "</think>",
                    "add",
                    "say",
                    " ",
                    "a",
                    "text",
                    "=",
                    "1",
                    ";",
                    "\n",
                    "\"",
                    "\\",
                    "{",
                    "ü",
                    "🦙");

    private static final Tokenizer SCRAPS_AND_BYTES =
            TestTokenizers.ofBytesAndWords(SCRAPS, Dialects.SPECIALS);

    @Test
    void callIsParsedByTheFamilyParser() {
        Answer answer = read(new LineSyntax(), "Sum: <tool_call>add a=1;b=-2</tool_call>");

        assertEquals(List.of(new Call("add", "{\"a\":1,\"b\":-2}")), answer.calls());
        assertEquals("Sum:", answer.content());
    }

    @Test
    void oneBlockMayHoldSeveralCalls() {
        Answer answer =
                read(
                        new LineSyntax(),
                        "<tool_call>add a=1\nsay text=1</tool_call><tool_call>say</tool_call>");

        assertEquals(
                List.of(
                        new Call("add", "{\"a\":1}"),
                        new Call("say", "{\"text\":\"1\"}"),
                        new Call("say", "{}")),
                answer.calls());
        assertEquals(3, answer.text().callCount());
    }

    @Test
    void undeclaredToolIsContentWithItsMarkers() {
        String text = "<tool_call>drop a=1</tool_call>";

        assertEquals(text, read(new LineSyntax(), text).content());
    }

    @Test
    void argumentsAreStreamedAsTheParserEmitsThem() {
        ResponseParser text = open(new LineSyntax(), Dialects.BYTES);
        List<String> pieces = new ArrayList<>();
        for (int token : Dialects.BYTES.encode("<tool_call>add a=1;b=2", true)) {
            text.push(token).calls().forEach(delta -> pieces.add(delta.arguments()));
        }

        assertEquals(List.of("", "{\"a\":1"), pieces);
    }

    @Test
    void requiredCallStartsWithTheFamilySyntax() {
        ResponseOptions options =
                new ResponseOptions(
                        List.of(ADD),
                        List.of(),
                        OptionalInt.empty(),
                        new ToolCallRequirement.Named("add"));
        ResponseState session = dialect(new LineSyntax(), Dialects.BYTES).open(new int[0], options);
        List<Integer> forced = new ArrayList<>();
        for (OptionalInt next = session.constraint().forced();
                next.isPresent();
                next = session.constraint().forced()) {
            forced.add(next.getAsInt());
            session.constraint().accept(next.getAsInt());
        }

        assertArrayEquals(
                Dialects.BYTES.encode("<tool_call>add ", true),
                forced.stream().mapToInt(Integer::intValue).toArray());
    }

    @Test
    void vocabularyWithoutAnInnerMarkerDisablesTools() {
        ToolSyntax.Custom marked =
                new Misbehaving((tools, output) -> new Silent()) {
                    @Override
                    public List<String> innerMarks() {
                        return List.of("<|missing|>");
                    }
                };

        assertTrue(!dialect(marked, Dialects.BYTES).hasTools());
    }

    @Test
    void innerMarkersReachTheParserAsTokensAndTextDoesNot() {
        List<String> seen = new ArrayList<>();
        ToolSyntax.Custom marked =
                new Misbehaving(
                        (tools, output) ->
                                new Silent() {
                                    @Override
                                    public void mark(String spelling) {
                                        seen.add(spelling);
                                    }
                                }) {
                    @Override
                    public List<String> innerMarks() {
                        return List.of("<|\"|>");
                    }
                };
        ResponseParser text = open(marked, Dialects.BYTES);
        for (int token : Dialects.BYTES.encode("<tool_call>a<|\"|>b", true)) {
            text.push(token);
        }
        for (int token : Dialects.BYTES.encode("<|\"|>", false)) {
            text.push(token);
        }

        assertEquals(List.of("<|\"|>"), seen);
    }

    @Test
    void responseDoesNotDependOnTokenBoundaries() {
        for (long seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            int[] scraps =
                    IntStream.range(0, 1 + random.nextInt(25))
                            .map(part -> random.nextInt(SCRAPS.size()))
                            .toArray();
            int[] whole = IntStream.of(scraps).map(CustomSyntaxTest::token).toArray();
            int[] split =
                    IntStream.of(scraps)
                            .flatMap(
                                    scrap ->
                                            IntStream.of(
                                                    SCRAPS_AND_BYTES.encode(
                                                            SCRAPS.get(scrap), true)))
                            .toArray();

            Answer ofWhole = answer(new LineSyntax(), whole);
            Answer ofSplit = answer(new LineSyntax(), split);

            String message = "seed " + seed + ": " + SCRAPS_AND_BYTES.decode(whole, true);
            assertEquals(ofWhole.content(), ofSplit.content(), message);
            assertEquals(ofWhole.calls(), ofSplit.calls(), message);
            ofWhole.calls().forEach(call -> assertTrue(call.name().length() == 3, message));
        }
    }

    static Stream<Map.Entry<String, BiFunction<List<CallableTool>, ToolCallOutput, ToolCallParser>>>
            brokenParsers() {
        return Map.<String, BiFunction<List<CallableTool>, ToolCallOutput, ToolCallParser>>of(
                "none", (tools, output) -> null,
                "throws when made",
                        (tools, output) -> {
                            throw new IllegalStateException();
                        },
                "throws when fed",
                        pushing(
                                output -> {
                                    throw new IndexOutOfBoundsException();
                                }),
                "lacks a class",
                        pushing(
                                output -> {
                                    throw new NoClassDefFoundError("acme/Missing");
                                }),
                "fails an assertion",
                        pushing(
                                output -> {
                                    throw new AssertionError("unreachable");
                                }),
                "undeclared name", pushing(output -> output.begin("rm")),
                "arguments before the name", pushing(output -> output.append("{}")),
                "deep recursion", pushing(CustomSyntaxTest::endless))
                .entrySet()
                .stream();
    }

    private static void endless(ToolCallOutput output) {
        endless(output);
    }

    @ParameterizedTest
    @MethodSource("brokenParsers")
    void parserFailureBeforeTheNameLeavesContent(
            Map.Entry<String, BiFunction<List<CallableTool>, ToolCallOutput, ToolCallParser>>
                    broken) {
        String text = "x <tool_call>add a=1</tool_call> y";

        Answer answer = read(new Misbehaving(broken.getValue()), text);

        assertEquals(text, answer.content());
        assertEquals(List.of(), answer.calls());
    }

    /** The arguments that a syntax emits after the name, and those that clients get. */
    private static Stream<Map.Entry<String, String>> brokenArguments() {
        return Map.of(
                "",
                "{}",
                "{\"a\":[1",
                "{\"a\":[1]}",
                "{\"a\":\"x",
                "{\"a\":\"x\"}",
                "{\"a\":[1}",
                "{\"a\":[1]}",
                "[1]",
                "{}",
                "{} {}",
                "{} ",
                "12",
                "{}",
                "{\"a\":" + "[".repeat(1000),
                "{\"a\":"
                        + "[".repeat(ValidatingCallParser.MOST_DEPTH - 1)
                        + "]".repeat(ValidatingCallParser.MOST_DEPTH - 1)
                        + "}")
                .entrySet()
                .stream();
    }

    @ParameterizedTest
    @MethodSource("brokenArguments")
    void argumentsAreOneClosedObject(Map.Entry<String, String> arguments) {
        Answer answer =
                read(
                        new Misbehaving(
                                pushing(
                                        output -> {
                                            output.begin("add");
                                            output.append(arguments.getKey());
                                        })),
                        "<tool_call>!</tool_call>");

        assertEquals(arguments.getValue(), answer.call().arguments());
    }

    @Test
    void tooLongArgumentsAreTruncated() {
        Answer answer =
                read(
                        new Misbehaving(
                                pushing(
                                        output -> {
                                            output.begin("say");
                                            output.append("{\"text\":\"");
                                            String part = "x".repeat(1 << 16);
                                            for (int count = 0; count < 100; count++) {
                                                output.append(part);
                                            }
                                        })),
                        "<tool_call>!</tool_call>after");

        assertEquals(ValidatingCallParser.MOST_CHARACTERS + 2, answer.call().arguments().length());
        assertEquals("after", answer.content());
    }

    @Test
    void startedCallCannotBeRejected() {
        Answer answer =
                read(
                        new Misbehaving(
                                (tools, output) ->
                                        new Silent() {
                                            @Override
                                            public void push(String text) {
                                                output.begin("add");
                                            }

                                            @Override
                                            public boolean isRejected() {
                                                return true;
                                            }
                                        }),
                        "<tool_call>!!</tool_call>");

        assertEquals(List.of(new Call("add", "{}")), answer.calls());
        assertEquals("", answer.content());
    }

    private static BiFunction<List<CallableTool>, ToolCallOutput, ToolCallParser> pushing(
            java.util.function.Consumer<ToolCallOutput> action) {
        return (tools, output) ->
                new Silent() {
                    private boolean done;

                    @Override
                    public void push(String text) {
                        if (!done && !text.isEmpty()) {
                            done = true;
                            action.accept(output);
                        }
                    }
                };
    }

    private static int token(int scrap) {
        String text = SCRAPS.get(scrap);
        return SCRAPS_AND_BYTES.tokenId(text).isPresent()
                        && SCRAPS_AND_BYTES.isSpecial(SCRAPS_AND_BYTES.tokenId(text).getAsInt())
                ? SCRAPS_AND_BYTES.tokenId(text).getAsInt()
                : 256 + Dialects.SPECIALS.length + scrap;
    }

    private static Answer read(ToolSyntax syntax, String text) {
        return Answer.of(open(syntax, Dialects.BYTES), Dialects.BYTES.encode(text, true));
    }

    private static Answer answer(ToolSyntax syntax, int[] tokens) {
        return Answer.of(open(syntax, SCRAPS_AND_BYTES), tokens);
    }

    private static ResponseParser open(ToolSyntax syntax, Tokenizer tokenizer) {
        return dialect(syntax, tokenizer).open(new int[0], Dialects.options(ADD, SAY)).text();
    }

    private static ResponseSyntax dialect(ToolSyntax syntax, Tokenizer tokenizer) {
        return ResponseSyntax.of(new ChatDialect(Optional.empty(), Optional.of(syntax)), tokenizer);
    }

    /** Reads nothing. */
    private static class Silent implements ToolCallParser {
        @Override
        public void push(String text) {}

        @Override
        public boolean isRejected() {
            return false;
        }

        @Override
        public boolean isComplete() {
            return false;
        }

        @Override
        public void close() {}
    }

    /** A markup whose parser is given. */
    private static class Misbehaving implements ToolSyntax.Custom {
        private final BiFunction<List<CallableTool>, ToolCallOutput, ToolCallParser> parser;

        Misbehaving(BiFunction<List<CallableTool>, ToolCallOutput, ToolCallParser> parser) {
            this.parser = parser;
        }

        @Override
        public String open() {
            return "<tool_call>";
        }

        @Override
        public String close() {
            return "</tool_call>";
        }

        @Override
        public String beforeName() {
            return "";
        }

        @Override
        public String afterName() {
            return "";
        }

        @Override
        public ToolCallParser parser(List<CallableTool> tools, ToolCallOutput output) {
            return parser.apply(tools, output);
        }
    }
}
