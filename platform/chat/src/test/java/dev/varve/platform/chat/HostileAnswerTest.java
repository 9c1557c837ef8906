package dev.varve.platform.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.chat.Dialects.Answer;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Models may say anything. */
class HostileAnswerTest {
    private static final ToolDeclaration TOOL =
            Dialects.tool(
                    "f",
                    "'s':{'type':'string'},'n':{'type':['null','string']},'o':{'type':'object'}");
    private static final List<String> SCRAPS =
            List.of(
                    "<tool_call>",
                    "</tool_call>",
                    "<|tool_call>",
                    "<tool_call|>",
                    "<|\"|>",
                    "<think>",
                    "</think>",
                    "<|channel>",
                    "<channel|>",
                    "\n",
                    " ",
                    "<function=f>",
                    "</function>",
                    "<parameter=s>",
                    "<parameter=n>",
                    "</parameter>",
                    "f\n",
                    "<arg_key>",
                    "s</arg_key>",
                    "<arg_value>",
                    "</arg_value>",
                    "call:f{",
                    "s:",
                    "o:{",
                    "{\"name\": \"f\"",
                    ", \"arguments\": {",
                    "\"s\": ",
                    "\"",
                    "\\",
                    "}",
                    "[",
                    "]",
                    ",",
                    "null",
                    "12",
                    "🦙");

    private static final Tokenizer SCRAPS_AND_BYTES =
            TestTokenizers.ofBytesAndWords(SCRAPS, Dialects.SPECIALS);
    private static final int FIRST_SCRAP = 256 + Dialects.SPECIALS.length;

    @ParameterizedTest
    @EnumSource
    void responseDoesNotDependOnTokenBoundaries(Dialects dialect) {
        for (long seed = 0; seed < Effort.of(400, 20_000); seed++) {
            Random random = new Random(seed);
            int[] scraps =
                    IntStream.range(0, 1 + random.nextInt(25))
                            .map(part -> random.nextInt(SCRAPS.size()))
                            .toArray();
            int[] whole = IntStream.of(scraps).map(HostileAnswerTest::token).toArray();
            int[] bytes =
                    IntStream.of(scraps)
                            .flatMap(
                                    scrap ->
                                            IntStream.of(
                                                    Dialects.BYTES.encode(SCRAPS.get(scrap), true)))
                            .toArray();
            ResponseOptions options =
                    Dialects.options(random.nextInt(4) == 0 ? List.of("12") : List.of(), TOOL);

            Answer cut = dialect.read(SCRAPS_AND_BYTES, new int[0], bytes, options);
            Answer uncut = dialect.read(SCRAPS_AND_BYTES, new int[0], whole, options);

            String context =
                    dialect + ", seed " + seed + ": " + SCRAPS_AND_BYTES.decode(whole, true);
            assertEquals(uncut.reasoning(), cut.reasoning(), context);
            assertEquals(uncut.content(), cut.content(), context);
            assertEquals(uncut.calls(), cut.calls(), context);
            assertAreJson(cut, context);
        }
    }

    private static int token(int scrap) {
        return Dialects.BYTES.tokenId(SCRAPS.get(scrap)).stream()
                .filter(id -> id >= 256)
                .findFirst()
                .orElse(FIRST_SCRAP + scrap);
    }

    private static void assertAreJson(Answer answer, String context) {
        for (Dialects.Call call : answer.calls()) {
            assertTrue(
                    StrictJson.parse(call.arguments()).filter(JsonNode::isObject).isPresent(),
                    () -> context + " gives " + call.arguments());
        }
    }

    @ParameterizedTest
    @EnumSource
    void anyTokenMayFollowAnyOther(Dialects dialect) {
        int size = Dialects.BYTES.vocabularySize();
        for (long seed = 0; seed < Effort.of(160, 5000); seed++) {
            Random random = new Random(seed);
            int[] tokens =
                    IntStream.range(0, 40)
                            .map(
                                    index ->
                                            random.nextInt(3) == 0
                                                    ? 256 + random.nextInt(size - 256)
                                                    : random.nextInt(size + 4) - 2)
                            .toArray();

            Answer answer =
                    dialect.read(Dialects.BYTES, new int[0], tokens, Dialects.options(TOOL));

            assertTrue(
                    answer.text().reasoningTokens() <= tokens.length
                            && answer.text().callCount() == answer.calls().size(),
                    () -> dialect + " " + Arrays.toString(tokens));
        }
    }

    @ParameterizedTest
    @EnumSource
    void heavilySelfReferencingSchemaIsReadInTime(Dialects dialect) {
        String self = "{'$ref':'#'},".repeat(40) + "{'$ref':'#/properties/city'}";
        ToolDeclaration tool =
                new ToolDeclaration(
                        "get_weather",
                        Dialects.JSON.readTree(
                                ("{'anyOf':[" + self + "],'properties':{'city':{'$ref':'#'}}}")
                                        .replace('\'', '"')));

        Answer answer =
                assertTimeoutPreemptively(
                        Duration.ofSeconds(60),
                        () -> dialect.read(ToolCallTest.call(dialect, "Bern"), tool));

        assertEquals("{\"city\":\"Bern\",\"n\":2}", answer.call().json().toString());
    }

    @Test
    void nothingIsLostWithoutCalls() {
        List<String> scraps =
                SCRAPS.stream()
                        .filter(scrap -> !scrap.contains("think") && !scrap.contains("|"))
                        .toList();
        for (long seed = 0; seed < Effort.of(160, 5000); seed++) {
            Random random = new Random(seed);
            StringBuilder text = new StringBuilder();
            for (int part = 0; part < 12; part++) {
                text.append(scraps.get(random.nextInt(scraps.size())));
            }

            Answer answer = Dialects.QWEN35.read(text.toString(), Dialects.tool("other", ""));

            assertEquals(text.toString(), answer.content(), "seed " + seed);
        }
    }

    @ParameterizedTest
    @EnumSource
    @ByDay({1, 4})
    void longValueTakesLinearTime(Dialects dialect) {
        String value = "</par <arg </parameter> \n".repeat(20_000) + "x";

        Answer answer =
                dialect.read(
                        ToolCallTest.call(dialect, value),
                        Dialects.tool("get_weather", "'city':{'type':'string'}"));

        assertEquals(value, answer.call().json().path("city").stringValue());
        assertFalse(answer.call().arguments().isEmpty());
    }
}
