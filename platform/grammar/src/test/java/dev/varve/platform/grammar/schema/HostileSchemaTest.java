package dev.varve.platform.grammar.schema;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.regex.GrammarLimitException;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Schemas that are made to take long: they are compiled or refused, soon. */
class HostileSchemaTest {
    /** Far more than any should take, so that a busy machine does not matter. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    static Stream<String> schemas() {
        return Stream.of(
                "{'maxItems':1000000000,'minItems':999999999}",
                "{'type':'string','minLength':1000000000}",
                "{'type':'string','maxLength':1000000000,'pattern':'^(a|b)*c'}",
                "{'type':'string','minLength':1000000000,'pattern':'^a*$'}",
                "{'minProperties':1000000000}",
                "{'maxProperties':1000000000}",
                "{'contains':{'type':'null'},'minContains':1000000000}",
                "{'contains':{'type':'null'},'maxContains':1000000000}",
                "{'maximum':1e400,'multipleOf':0.0001,'minimum':-1e400}",
                "{'const':1e999999999}",
                "{'not':{'$ref':'#'}}",
                "{'anyOf':[{'$ref':'#'},{'type':'null'}]}",
                "{'properties':{'a':{'not':{'$ref':'#'}}}}",
                "{'items':{'$ref':'#'},'minItems':1}",
                "{'$ref':'#/$defs/0','$defs':{" + join(3000, i -> link(i)) + "}}",
                "{'$ref':'#/$defs/0','$defs':{" + join(3000, i -> wrapped(i)) + "}}",
                "{'$ref':'#/$defs/0','$defs':{" + join(3000, i -> required(i)) + "}}",
                nested(400, "{'items':", "}"),
                nested(240, "{'allOf':[", "]}"),
                nested(400, "{'not':", "}"),
                nested(240, "{'properties':{'a':", "},'required':['a']}"),
                "{'allOf':[" + join(30, i -> either(i)) + "]}",
                "{'allOf':[" + join(3000, i -> "{'minLength':" + i + "}") + "]}",
                "{'oneOf':[" + join(60, i -> "{'required':['p" + i + "']}") + "]}",
                "{'oneOf':[" + join(300, i -> closed(i)) + "]}",
                "{'anyOf':[" + join(5000, i -> "{'const':'" + i + "'}") + "]}",
                "{'enum':[" + join(20000, i -> "'value " + i + "'") + "]}",
                "{'enum':[" + join(5000, i -> "{'a':" + i + "}") + "]}",
                "{'properties':{" + join(5000, i -> "'p" + i + "':{}") + "},'minProperties':100}",
                "{'patternProperties':{" + join(40, i -> pattern(i)) + "}}",
                "{'patternProperties':{"
                        + join(200, i -> "'^a.*0z" + i + "$':{'const':" + i + "}")
                        + "}}",
                "{'dependentRequired':{" + join(40, i -> "'p" + i + "':['q" + i + "']") + "}}",
                "{'pattern':'(((((((a+)+)+)+)+)+)+)+$','not':{'pattern':'((a*)*b)*'}}",
                "{'pattern':'^(a|b)*a(a|b){300}$','type':'string'}");
    }

    private static String join(int count, IntFunction<String> each) {
        return IntStream.range(0, count).mapToObj(each).collect(Collectors.joining(","));
    }

    private static String nested(int depth, String open, String close) {
        return open.repeat(depth) + "{'type':'null'}" + close.repeat(depth);
    }

    private static String link(int i) {
        return "'" + i + "':{'$ref':'#/$defs/" + (i + 1) % 3000 + "'}";
    }

    private static String wrapped(int i) {
        return "'" + i + "':{'allOf':[{'$ref':'#/$defs/" + (i + 1) % 3000 + "'}]}";
    }

    private static String required(int i) {
        String next = "{'$ref':'#/$defs/" + (i + 1) % 3000 + "'}";
        return "'" + i + "':{'required':['a'],'properties':{'a':" + next + "}}";
    }

    private static String either(int i) {
        return "{'anyOf':[{'required':['p" + i + "']},{'required':['q" + i + "']}]}";
    }

    private static String closed(int i) {
        return "{'properties':{'k':{'const':"
                + i
                + "},'p"
                + i
                + "':{}},'required':['k'],'additionalProperties':false}";
    }

    private static String pattern(int i) {
        return "'x" + i + "':{'minimum':" + i + "}";
    }

    @ParameterizedTest
    @MethodSource("schemas")
    @ByDay(except = {4, 17, 30, 31})
    void hostileSchemasAreCompiledOrRefusedSoon(String schema) {
        assertTimeoutPreemptively(
                PATIENCE,
                () -> {
                    try {
                        CompiledSchema.of(schema.replace('\'', '"')).mayGoOn("{");
                    } catch (GrammarException | GrammarLimitException e) {
                        return;
                    }
                });
    }
}
