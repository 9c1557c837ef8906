package dev.varve.platform.chat;

import static dev.varve.platform.chat.Dialects.GEMMA;
import static dev.varve.platform.chat.Dialects.LAGUNA;
import static dev.varve.platform.chat.Dialects.QWEN3;
import static dev.varve.platform.chat.Dialects.QWEN35;
import static dev.varve.platform.chat.Dialects.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.JsonStrings;
import dev.varve.platform.chat.Dialects.Answer;
import dev.varve.platform.chat.Dialects.Call;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.JsonNode;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Every byte is a token here: every call is split at every position. */
class ToolCallTest {
    static final ToolDeclaration WEATHER =
            tool("get_weather", "'city':{'type':'string'},'n':{'type':'integer'}");
    private static final ToolDeclaration TIME = tool("time", "");

    /** The same call in every dialect. */
    static String call(Dialects dialect, String city) {
        return switch (dialect) {
            case QWEN35 ->
                    "<tool_call>\n<function=get_weather>\n<parameter=city>\n"
                            + city
                            + "\n</parameter>\n<parameter=n>\n2\n</parameter>\n</function>\n"
                            + "</tool_call>";
            case LAGUNA ->
                    "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>"
                            + city
                            + "</arg_value>\n<arg_key>n</arg_key>\n<arg_value>2</arg_value>\n"
                            + "</tool_call>";
            case GEMMA ->
                    "<|tool_call>call:get_weather{city:<|\"|>" + city + "<|\"|>,n:2}<tool_call|>";
            case QWEN3 ->
                    "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": "
                            + JsonStrings.quoted(city)
                            + ", \"n\": 2}}\n</tool_call>";
        };
    }

    private static String noArguments(Dialects dialect) {
        return switch (dialect) {
            case QWEN35 -> "<tool_call>\n<function=time>\n</function>\n</tool_call>";
            case LAGUNA -> "<tool_call>time</tool_call>";
            case GEMMA -> "<|tool_call>call:time{}<tool_call|>";
            case QWEN3 -> "<tool_call>\n{\"name\": \"time\", \"arguments\": {}}\n</tool_call>";
        };
    }

    @ParameterizedTest
    @EnumSource
    void callsBetweenTextAreCountedAndTheTextIsKept(Dialects dialect) {
        String text =
                "Look.\n\n" + call(dialect, "Bern") + "\n" + noArguments(dialect) + "\nDone. \n";

        Answer answer = dialect.read(text, WEATHER, TIME);

        assertEquals("Look.Done. \n", answer.content());
        assertEquals(
                List.of("{\"city\":\"Bern\",\"n\":2}", "{}"),
                answer.calls().stream().map(call -> call.json().toString()).toList());
        assertEquals(
                List.of("get_weather", "time"), answer.calls().stream().map(Call::name).toList());
        assertEquals(2, answer.text().callCount());
    }

    static Stream<Arguments> strings() {
        List<String> values =
                List.of(
                        "",
                        "\"quoted\" and \\ back",
                        "two\nlines\n",
                        "\nbefore",
                        "null",
                        "12",
                        "{\"a\": [1, 2]}, }",
                        "Zürich 🦙 \u2028 \u0001",
                        "<b>x</b> < / </par </arg_v",
                        "a </parameter> b </arg_value> c",
                        "<tool_call>\n<function=get_weather>");
        return Stream.of(Dialects.values())
                .flatMap(
                        dialect ->
                                values.stream()
                                        .filter(
                                                value ->
                                                        dialect == QWEN35
                                                                || !value.startsWith("<tool"))
                                        .map(value -> Arguments.of(dialect, value)));
    }

    @ParameterizedTest
    @MethodSource("strings")
    void stringRoundTripsExactly(Dialects dialect, String value) {
        Answer answer =
                dialect.read(
                        Dialects.BYTES,
                        new int[0],
                        callTokens(dialect, value),
                        Dialects.options(WEATHER));

        assertEquals(value, answer.call().json().path("city").stringValue());
        assertEquals(2, answer.call().json().path("n").intValue());
        assertEquals("", answer.content());
    }

    /** The value itself holds no special tokens. */
    private static int[] callTokens(Dialects dialect, String value) {
        String[] around = call(dialect, "@@").split("@@");
        String written = dialect == QWEN3 ? JsonStrings.escaped(value) : value;
        return Stream.of(
                        Dialects.BYTES.encode(around[0], true),
                        Dialects.BYTES.encode(written, false),
                        Dialects.BYTES.encode(around[1], true))
                .flatMapToInt(Arrays::stream)
                .toArray();
    }

    @ParameterizedTest
    @EnumSource(names = {"QWEN35", "LAGUNA"})
    void callMarkersInsideAStringArePartOfIt(Dialects dialect) {
        Answer answer = dialect.read(call(dialect, "a <tool_call>b</tool_call> c"), WEATHER);

        assertEquals(
                "a <tool_call>b</tool_call> c", answer.call().json().path("city").stringValue());
    }

    @ParameterizedTest
    @EnumSource
    void nameAndStringsAreStreamedBeforeTheCallIsComplete(Dialects dialect) {
        ResponseParser text = session(dialect).text();
        StringBuilder seen = new StringBuilder();

        for (int token : callTokens(dialect, "vwxyz")) {
            for (ToolCallDelta delta : text.push(token).calls()) {
                delta.name().ifPresent(name -> seen.append(name).append(' '));
                seen.append(delta.arguments());
            }
            if (token == 'z') {
                break;
            }
        }

        assertEquals("get_weather {\"city\":\"vwxyz", seen.toString().replace(": ", ":"));
    }

    @Test
    void stringCharactersAreStreamedAtOnce() {
        ResponseParser text = session(QWEN35).text();
        StringBuilder arguments = new StringBuilder();

        for (int token :
                Dialects.BYTES.encode(
                        "<tool_call>\n<function=get_weather>\n<parameter=city>\nBern <", true)) {
            text.push(token).calls().forEach(delta -> arguments.append(delta.arguments()));
        }

        assertEquals("{\"city\":\"Bern ", arguments.toString());
    }

    @ParameterizedTest
    @EnumSource
    void undeclaredToolStaysText(Dialects dialect) {
        String text = "a\n" + call(dialect, "Bern") + "\nb";

        Answer answer = dialect.read(text, TIME);

        assertEquals(text, answer.content());
        assertEquals(List.of(), answer.calls());
        assertEquals(0, answer.text().callCount());
    }

    @ParameterizedTest
    @EnumSource
    void withoutDeclaredToolsACallIsText(Dialects dialect) {
        String text = call(dialect, "Bern");

        assertEquals(text, dialect.read(text).content());
        assertEquals(
                text,
                dialect.read(
                                Dialects.VISIBLE_BYTES,
                                new int[0],
                                Dialects.VISIBLE_BYTES.encode(text, true),
                                Dialects.options())
                        .content());
    }

    @ParameterizedTest
    @EnumSource
    void truncatedCallKeepsItsPartsAndLosesNothing(Dialects dialect) {
        int[] whole = Dialects.BYTES.encode("a " + call(dialect, "Bern"), true);
        for (int length = 3; length < whole.length; length++) {
            int[] tokens = Arrays.copyOf(whole, length);

            Answer answer =
                    dialect.read(Dialects.BYTES, new int[0], tokens, Dialects.options(WEATHER));

            if (answer.calls().isEmpty()) {
                assertEquals(Dialects.BYTES.decode(tokens, true), answer.content());
            } else {
                JsonNode arguments = answer.call().json();
                assertEquals("a", answer.content());
                assertTrue(
                        "Bern".startsWith(arguments.path("city").asString(""))
                                && arguments.path("n").asInt(2) == 2
                                && arguments.size() <= 2,
                        arguments::toString);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void closeMarkerMayBeMissing(Dialects dialect) {
        String call = call(dialect, "Bern").replace(dialect.syntax.close(), "");

        assertEquals(2, dialect.read(call, WEATHER).call().json().path("n").intValue());
        assertEquals(2, dialect.read(call + call, WEATHER).calls().size());
    }

    @Test
    void textBehindACompleteCallWithoutCloseMarkerIsContent() {
        String call = call(QWEN35, "Bern").replace("</tool_call>", "");

        Answer answer = QWEN35.read(call + "More.", WEATHER);

        assertEquals("More.", answer.content());
        assertEquals(2, answer.call().json().path("n").intValue());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'type':'integer'                                | 5        | 5",
                "'type':'integer'                                | 5.0      | 5",
                "'type':'integer'                                | five     | \"five\"",
                "'type':'number'                                 | -1.5e3   | -1.5e3",
                "'type':'number'                                 | .5       | 0.5",
                "'type':'boolean'                                | True     | true",
                "'type':'boolean'                                | false    | false",
                "'type':'object'                                 | {\"a\":1}| {\"a\":1}",
                "'type':'array'                                  | [1, \"b\"] | [1, \"b\"]",
                "'type':'array'                                  | [1       | [1]",
                "'type':'array'                                  | (1, 2)   | \"(1, 2)\"",
                "'type':'array'                                  | ['a', 1] | [\"a\", 1]",
                "'type':'object'                                 | {'a': None, 'b': [True,]} |"
                        + " {\"a\": null, \"b\": [true]}",
                "'type':'object'                                 | none     | \"none\"",
                "'type':'string'                                 | {'a': 1} | \"{'a': 1}\"",
                "'type':['integer','null']                       | null     | null",
                "'type':['null','integer']                       | 7        | 7",
                "'type':['null','string']                        | null     | null",
                "'type':['string','null']                        | nul      | \"nul\"",
                "'type':['string','null']                        | nullable | \"nullable\"",
                "'type':'string'                                 | null     | \"null\"",
                "'type':'string','nullable':true                 | null     | null",
                "'anyOf':[{'type':'integer'},{'type':'string'}]  | x        | \"x\"",
                "'anyOf':[{'type':'integer'},{'type':'string'}]  | 3        | 3",
                "'$ref':'#/properties/other'                     | true     | true",
                "'$ref':'#/properties/v'                         | 1        | 1",
                "'enum':['1','2']                                | 1        | \"1\"",
                "'enum':[1,2]                                    | 1        | 1",
                "'type':'STRING'                                 | 1        | \"1\"",
                "                                                | 1        | 1",
                "                                                | Bern     | \"Bern\"",
                "                                                | {\"a\":1}| {\"a\":1}",
                "'type':17,'anyOf':3                             | x        | \"x\""
            })
    void schemaDeterminesTheTypeOfARawValue(String schema, String value, String json) {
        ToolDeclaration tool =
                tool(
                        "f",
                        "'v':{" + (schema == null ? "" : schema) + "},'other':{'type':'boolean'}");
        String expected = "{\"v\":" + json + "}";

        assertEquals(
                expected,
                QWEN35.read(
                                "<tool_call>\n<function=f>\n<parameter=v>\n"
                                        + value
                                        + "\n</parameter>\n</function>\n</tool_call>",
                                tool)
                        .call()
                        .arguments());
        assertEquals(
                expected,
                LAGUNA.read(
                                "<tool_call>f\n<arg_key>v</arg_key>\n<arg_value>"
                                        + value
                                        + "</arg_value>\n</tool_call>",
                                tool)
                        .call()
                        .arguments());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "~call:f{a:{b:[1,<|\"|>x,}<|\"|>,{}],c:true},d:null}~ |"
                        + " ~{\"a\":{\"b\":[1,\"x,}\",{}],\"c\":true},\"d\":null}~",
                "~call:f{ a : -1.5 , b : [ ] }~          | ~{\"a\":-1.5,\"b\":[]}~",
                "~call:f{a:b c,d:<|\"|><|\"|>}~          | ~{\"a\":\"b c\",\"d\":\"\"}~",
                "~call:f{a:[[1],[2,[3]]]}~               | ~{\"a\":[[1],[2,[3]]]}~",
                "~call:f{<|\"|>a b<|\"|>:1}~             | ~{\"a b\":1}~",
                "~call:f{a:2,,b:1,,}~                    | ~{\"a\":2,\"b\":1}~",
                "~call:f{a:,b:}~                         | ~{\"a\":null,\"b\":null}~",
                "~call:f{a:{b:1~                         | ~{\"a\":{\"b\":1}}~",
                "~call:f{a:<|\"|>x~                      | ~{\"a\":\"x\"}~",
                "~call:f{a:<|\"|>x<|\"|>,b:[,,2],c:1]}~  | ~{\"a\":\"x\",\"b\":[2],\"c\":\"1]\"}~",
                "~call:f~                                | {}"
            })
    void bracedArgumentsBecomeJson(String text, String json) {
        Answer answer = GEMMA.read("<|tool_call>" + text + "<tool_call|>", tool("f", ""));

        assertEquals(json, answer.call().arguments());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{\"arguments\": {\"a\": 1}, \"name\": \"f\"}          | {\"a\": 1}",
                "{\"name\": \"f\", \"parameters\": {\"a\": \"}\\\"{\"}}| {\"a\": \"}\\\"{\"}",
                "{\"name\": \"f\", \"arguments\": \"{\\\"a\\\": 1}\"}  | {\"a\": 1}",
                "{\"name\": \"f\", \"id\": 7, \"arguments\": {}}       | {}",
                "{\"name\": \"f\"}                                     | {}",
                "{\"name\": \"f\", \"arguments\": null}                | {}",
                "{\"name\": \"f\", \"arguments\": {\"a\": [1           | {\"a\": [1]}",
            })
    void jsonCallFieldsMayHaveAnyOrder(String text, String json) {
        Answer answer = QWEN3.read("<tool_call>" + text + "</tool_call>", tool("f", ""));

        assertEquals(json, answer.call().arguments());
    }

    @Test
    void unparsableCallIsContent() {
        for (String text :
                List.of(
                        "<tool_call>what?</tool_call>",
                        "<tool_call></tool_call>",
                        "<tool_call>{\"name\": 1}</tool_call>",
                        "<tool_call>[]</tool_call> <tool_call>")) {
            assertEquals(text, QWEN3.read(text, WEATHER).content());
            assertEquals(text, QWEN35.read(text, WEATHER).content());
        }
    }

    /** A tool may declare anything; what says nothing of a value leaves it to the value. */
    @Test
    void schemaOfAnyShapeIsAccepted() {
        for (String schema :
                List.of(
                        "[]",
                        "null",
                        "true",
                        "3",
                        "{'properties':[1]}",
                        "{'properties':{'city':7,'n':[]}}",
                        "{'properties':{'city':{'type':{}},'n':{'enum':{},'anyOf':{'a':1}}}}",
                        "{'$ref':'#'}",
                        "{'$ref':'http://elsewhere'}",
                        "{'properties':{'city':{'$ref':'#/~9/x//'}}}")) {
            ToolDeclaration tool =
                    new ToolDeclaration(
                            "get_weather", Dialects.JSON.readTree(schema.replace('\'', '"')));
            for (Dialects dialect : Dialects.values()) {
                assertEquals(
                        "{\"city\":\"Bern\",\"n\":2}",
                        dialect.read(call(dialect, "Bern"), tool).call().json().toString(),
                        dialect + " " + schema);
            }
        }
    }

    /** As where a type may be this object or that. */
    @Test
    void typesInBranchesOfTheSchemaCount() {
        StringBuilder keys = new StringBuilder();
        StringBuilder json = new StringBuilder();
        StringBuilder properties = new StringBuilder();
        for (int key = 0; key < 300; key++) {
            keys.append(key == 0 ? "" : ",").append("k" + key + ":1");
            json.append(key == 0 ? "" : ",").append("\"k" + key + "\":\"1\"");
            properties.append(key == 0 ? "" : ",").append("'k" + key + "':{'type':'string'}");
        }
        ToolDeclaration tool =
                new ToolDeclaration(
                        "f",
                        Dialects.JSON.readTree(
                                ("{'anyOf':[{'properties':{" + properties + "}}]}")
                                        .replace('\'', '"')));

        Answer answer = GEMMA.read("<|tool_call>call:f{" + keys + "}<tool_call|>", tool);

        assertEquals("{" + json + "}", answer.call().arguments());
    }

    @Test
    void stopStringBeforeACallApplies() {
        Answer answer =
                QWEN35.read(
                        "",
                        "ab\n\n" + call(QWEN35, "Bern"),
                        Dialects.options(List.of("\n\n"), WEATHER));

        assertEquals("ab", answer.content());
        assertEquals(List.of(), answer.calls());
    }

    @Test
    void stopStringInsideACallDoesNotApply() {
        Answer answer =
                QWEN35.read("", call(QWEN35, "Bern"), Dialects.options(List.of("Bern"), WEATHER));

        assertEquals("Bern", answer.call().json().path("city").stringValue());
        assertEquals(Optional.empty(), answer.text().stopFound());
    }

    private static ResponseState session(Dialects dialect) {
        return dialect.with(Dialects.BYTES).open(new int[0], Dialects.options(WEATHER));
    }

    @ParameterizedTest
    @CsvSource({
        "QWEN35, AUTO, 1",
        "QWEN35, ON, 1",
        "QWEN35, OFF, 0",
        "GEMMA, AUTO, 0",
        "GEMMA, ON, 1",
        "GEMMA, OFF, 0",
        "LAGUNA, ON, 0",
        "QWEN3, ON, 0"
    })
    void callWithoutItsOpenMarkerIsAcceptedOnRequest(
            Dialects dialect, UnmarkedCallPolicy recovery, int calls) {
        String text =
                "Look.\n"
                        + call(dialect, "Bern")
                                .replace(dialect.syntax.open(), "")
                                .replace(dialect.syntax.close(), "")
                                .strip();
        ResponseSyntax reader =
                ResponseSyntax.of(
                        new ChatDialect(Optional.empty(), Optional.of(dialect.syntax)),
                        Dialects.BYTES,
                        recovery);

        Answer answer =
                Answer.of(
                        reader.open(new int[0], Dialects.options(WEATHER)).text(),
                        Dialects.BYTES.encode(text, true));

        assertEquals(calls, answer.calls().size());
        assertEquals(calls == 0 ? text : "Look.", answer.content());
    }
}
