package dev.varve.platform.grammar.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.grammar.GrammarException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.stream.Stream;

class SchemaCompilerTest {
    /** A schema with texts, quotes written as apostrophes, that belong to it or do not. */
    record Case(String schema, List<String> texts, List<String> others) {
        static Case of(String schema, List<String> texts, List<String> others) {
            return new Case(quote(schema), quote(texts), quote(others));
        }

        private static List<String> quote(List<String> texts) {
            return texts.stream().map(Case::quote).toList();
        }

        private static String quote(String text) {
            return text.replace('\'', '"');
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                Case.of("true", List.of("null", "[1,{'a':'b'}]", "-1.5e+7"), List.of("", " 1")),
                Case.of("false", List.of(), List.of("null", "1", "{}")),
                Case.of("{'type':'null'}", List.of("null"), List.of("nul", "0", "'null'")),
                Case.of("{'type':'boolean'}", List.of("true", "false"), List.of("1", "null")),
                Case.of(
                        "{'type':'integer'}",
                        List.of("0", "-7", "123456789012345678901234567890"),
                        List.of("01", "-0", "1.0", "1e3", "+1")),
                Case.of(
                        "{'type':'number'}",
                        List.of("0", "-0.5", "1.50", "1E-7"),
                        List.of(".5", "5.", "00", "1e", "NaN")),
                Case.of(
                        "{'type':'number','minimum':-1.5,'exclusiveMaximum':20}",
                        List.of("-1.5", "-1.50", "-1", "0", "0.001", "19.999", "7"),
                        List.of("-1.51", "-2", "20", "20.0", "20.001", "100", "1e1", "-0")),
                Case.of(
                        "{'type':'number','minimum':5,'exclusiveMinimum':true}",
                        List.of("5.01", "10", "6"),
                        List.of("5", "5.0", "4", "-6", "0")),
                Case.of(
                        "{'type':'integer','minimum':98,'maximum':1002}",
                        List.of("98", "99", "100", "999", "1000", "1002"),
                        List.of("97", "1003", "9", "10", "2000", "98.0")),
                Case.of(
                        "{'type':'number','multipleOf':0.05}",
                        List.of("0", "0.05", "-1.15", "3", "0.100"),
                        List.of("0.01", "0.051", "1.12")),
                Case.of(
                        "{'type':'integer','multipleOf':12,'minimum':1}",
                        List.of("12", "144", "1200"),
                        List.of("0", "1", "13", "-12")),
                Case.of(
                        "{'enum':['a',1,null,[1,{'b':2.50}]]}",
                        List.of("'a'", "1", "null", "[1,{'b':2.5}]", "[1, {'b': 2.50}]"),
                        List.of("'b'", "2", "[1]", "[1,{'b':2.6}]", "[1,{'b':2.5,'c':1}]")),
                Case.of("{'const':1.0}", List.of("1"), List.of("1.5", "10", "true")),
                Case.of(
                        "{'type':'string','minLength':2,'maxLength':3}",
                        List.of("'ab'", "'äöü'", "'\\u00e4b'", "'a\\/b'"),
                        List.of("'a'", "'abcd'", "''")),
                Case.of(
                        "{'type':'string','pattern':'^a+b'}",
                        List.of("'ab'", "'aabxyz'", "'ab\\n'"),
                        List.of("'b'", "'xab'", "'\\u0061b'")),
                Case.of(
                        "{'type':'string','not':{'pattern':'a'}}",
                        List.of("'bcd'", "''"),
                        List.of("'bad'", "'\\u0061'")),
                Case.of(
                        "{'type':'string','format':'date'}",
                        List.of("'2024-02-29'"),
                        List.of("'2023-02-29'", "'today'")),
                Case.of(
                        "{'not':{'format':'email'},'type':'string'}",
                        List.of("'nobody'"),
                        List.of("'a@example.org'", "'@'")),
                Case.of(
                        "{'items':{'type':'integer'},'minItems':1,'maxItems':3}",
                        List.of("[1]", "[1,2,3]", "[ 1,\n   2 ]", "'x'"),
                        List.of("[]", "[1,2,3,4]", "['a']", "[1,]")),
                Case.of(
                        "{'type':'array','prefixItems':[{'type':'integer'},{'type':'null'}],"
                                + "'items':{'type':'string'},'minItems':1}",
                        List.of("[1]", "[1,null]", "[1,null,'a','b']"),
                        List.of("[]", "[null]", "[1,'a']", "[1,null,2]")),
                Case.of(
                        "{'type':'array','items':[{'type':'integer'}],'additionalItems':false}",
                        List.of("[]", "[1]"),
                        List.of("['a']", "[1,2]")),
                Case.of(
                        "{'type':'array','items':{'type':'integer'},"
                                + "'contains':{'minimum':5},'maxContains':2}",
                        List.of("[5]", "[1,6,2,7]"),
                        List.of("[]", "[1,2]", "[5,6,7]")),
                Case.of(
                        "{'type':'array','uniqueItems':true,'items':{'enum':['a','b',1]}}",
                        List.of("[]", "['a']", "['b',1,'a']"),
                        List.of("['a','a']", "[1,'b',1]", "['c']")),
                Case.of(
                        "{'type':'object','properties':{'a':{'type':'integer'},'b':{},'c':{}},"
                                + "'required':['b'],'additionalProperties':false}",
                        List.of(
                                "{'b':1}",
                                "{'a':1,'b':2,'c':3}",
                                "{ 'a': 1,\n  'b': [] }",
                                "{'b':{},'c':null}"),
                        List.of("{}", "{'a':1}", "{'b':1,'a':1}", "{'b':1,'d':1}", "{'b' :1}")),
                Case.of(
                        "{'type':'object','properties':{'a':{'type':'integer'}},"
                                + "'additionalProperties':{'type':'string'}}",
                        List.of("{}", "{'a':1,'x':'y'}", "{'x':'y','z':'y'}"),
                        List.of("{'a':'y'}", "{'x':1}", "{'\\u0061':'y'}", "{'x':'y','a':'y'}")),
                Case.of(
                        "{'type':'object','patternProperties':{'^x':{'type':'integer'},"
                                + "'y$':{'minimum':5}},'additionalProperties':false}",
                        List.of("{}", "{'x':1}", "{'xy':5}", "{'ay':'z'}", "{'ay':7}"),
                        List.of("{'a':1}", "{'x':'z'}", "{'xy':4}", "{'ay':1}")),
                Case.of(
                        "{'type':'object','propertyNames':{'maxLength':2},'required':['a']}",
                        List.of("{'a':1}", "{'a':1,'bb':2}"),
                        List.of("{'a':1,'bbb':2}", "{'bb':1}")),
                Case.of(
                        "{'type':'object','minProperties':1,'maxProperties':2}",
                        List.of("{'a':1}", "{'a':1,'b':2}"),
                        List.of("{}", "{'a':1,'b':2,'c':3}")),
                Case.of(
                        "{'type':'object','properties':{'a':{},'b':{},'c':{}},"
                                + "'additionalProperties':false,'minProperties':2}",
                        List.of("{'a':1,'b':2}", "{'a':1,'c':2}", "{'a':1,'b':1,'c':2}"),
                        List.of("{}", "{'a':1}", "{'c':1}")),
                Case.of(
                        "{'type':'object','properties':{'a':{},'b':{}},"
                                + "'dependentRequired':{'a':['b']},'additionalProperties':false}",
                        List.of("{}", "{'b':1}", "{'a':1,'b':2}"),
                        List.of("{'a':1}")),
                Case.of(
                        "{'type':'object','properties':{'a':{},'b':{}},"
                                + "'dependencies':{'a':{'properties':{'b':{'type':'null'}}}},"
                                + "'additionalProperties':false}",
                        List.of("{}", "{'b':1}", "{'a':1,'b':null}", "{'a':1}"),
                        List.of("{'a':1,'b':2}")),
                Case.of(
                        "{'anyOf':[{'type':'integer'},{'minLength':2}],'type':['integer','string']}",
                        List.of("1", "'ab'"),
                        List.of("'a'", "null")),
                Case.of(
                        "{'type':'integer','oneOf':[{'minimum':5},{'maximum':7}]}",
                        List.of("4", "8"),
                        List.of("5", "6", "7")),
                Case.of(
                        "{'type':'object','properties':{'a':{},'b':{}},'oneOf':"
                                + "[{'required':['a']},{'required':['b']}]}",
                        List.of("{'a':1}", "{'b':1}", "{'b':1,'c':2}"),
                        List.of("{}", "{'a':1,'b':2}", "{'c':1}")),
                Case.of(
                        "{'type':'object','properties':{'k':{'enum':['x','y']}},'required':['k'],"
                                + "'if':{'properties':{'k':{'const':'x'}}},"
                                + "'then':{'required':['a']},'else':{'required':['b']}}",
                        List.of("{'k':'x','a':1}", "{'k':'y','b':1}"),
                        List.of("{'k':'x','b':1}", "{'k':'y','a':1}", "{'k':'x'}")),
                Case.of(
                        "{'type':'object','not':{'required':['a']},'properties':{'b':{}}}",
                        List.of("{}", "{'b':1}"),
                        List.of("{'a':1}", "{'b':1,'a':2}")),
                Case.of(
                        "{'type':'object','not':{'patternProperties':{'^x':false}}}",
                        List.of("{'x':1}", "{'a':1,'xy':2,'b':3}"),
                        List.of("{}", "{'a':1}")),
                Case.of(
                        "{'allOf':[{'properties':{'a':{'type':'integer'}}},"
                                + "{'properties':{'a':{'minimum':3}},'required':['a']}],"
                                + "'type':'object','unevaluatedProperties':false}",
                        List.of("{'a':3}"),
                        List.of("{'a':2}", "{}", "{'a':3,'b':1}")),
                Case.of(
                        "{'type':'object','properties':{'next':{'$ref':'#'},'v':{'type':'null'}},"
                                + "'additionalProperties':false}",
                        List.of("{}", "{'next':{'next':{'v':null}}}"),
                        List.of("{'next':{'next':1}}", "{'next':{}")),
                Case.of(
                        "{'$ref':'#/definitions/a~1b%25','definitions':{'a/b%':{'type':'null'}}}",
                        List.of("null"), List.of("1")),
                Case.of(
                        "{'$defs':{'n':{'$anchor':'here','type':'integer'}},'$ref':'#here',"
                                + "'minimum':2}",
                        List.of("2"),
                        List.of("1", "'a'")),
                Case.of("{'_uniqueItems':true,'title':'x'}", List.of("[1,1]"), List.of("[1")));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void acceptedTextsAreExactlyTheValidValues(Case each) {
        CompiledSchema schema = CompiledSchema.of(each.schema());

        for (String text : each.texts()) {
            assertTrue(schema.accepts(text), () -> each.schema() + " takes " + text);
        }
        for (String text : each.others()) {
            assertFalse(schema.accepts(text), () -> each.schema() + " does not take " + text);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void everyPrefixCanBeCompleted(Case each) {
        CompiledSchema schema = CompiledSchema.of(each.schema());

        for (String text : each.texts()) {
            for (int length = 0; length <= text.length(); length++) {
                String begin = text.substring(0, length);
                assertTrue(schema.mayGoOn(begin), () -> each.schema() + " begins " + begin);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            textBlock =
                    """
                    {'type':5}                                          | /type
                    {'type':['string','thing']}                         | /type
                    {'properties':{'a':{'minLength':-1}}}               | /properties/a/minLength
                    {'properties':{'a/b':{'pattern':'('}}}              | /properties/a~1b/pattern
                    {'items':{'required':true}}                         | /items/required
                    {'anyOf':[]}                                        | /anyOf
                    {'const':['\\udc00']}                               | /const
                    {'required':['\\ud800']}                            | /required
                    {'anyOf':[{'anyOf':7}]}                             | /anyOf/0/anyOf
                    {'additionalProperties':'no'}                       | /additionalProperties
                    {'$ref':'other.json'}                               | /$ref
                    {'$ref':'#/definitions/none'}                       | /$ref
                    {'$ref':'#'}                                        | /$ref
                    {'allOf':[{'$ref':'#'}]}                            | /allOf/0/$ref
                    {'$schema':'http://example.org/mine'}               | /$schema
                    {'uniqueItems':true}                                | /uniqueItems
                    {'items':{'allOf':[{},{'uniqueItems':true}]}}       | /items/allOf/1/uniqueItems
                    {'$ref':'#/$defs/a','$defs':{'a':{'uniqueItems':true}}} | /$defs/a/uniqueItems
                    {'multipleOf':0}                                    | /multipleOf
                    {'multipleOf':0.123456789}                          | /multipleOf
                    {'minimum':1e1000000}                               | /minimum
                    {'minProperties':3}                                 | /minProperties
                    {'properties':{'a':{'unevaluatedProperties':7}}}    | /properties/a/unevaluatedProperties
                    {'properties':{'a':{'not':{'additionalProperties':{'type':'null'}}}}} | /properties/a/not
                    {'type':'string','format':'regex'}                  | /format
                    {'type':'string','pattern':'(a)\\\\1'}              | /pattern
                    {'not':{'uniqueItems':true}}                        | /not
                    """,
            delimiter = '|')
    void unsupportedKeywordIsRefusedWithItsPath(String schema, String path) {
        GrammarException refusal =
                assertThrows(
                        GrammarException.class,
                        () -> CompiledSchema.of(schema.replace('\'', '"')),
                        schema);

        assertEquals(path, refusal.path(), refusal.getMessage());
    }

    @Test
    void compactTextsHaveNoSpace() {
        String schema = "{\"properties\":{\"a\":{\"items\":{\"type\":\"integer\"}}}}";

        CompiledSchema compact =
                CompiledSchema.of(
                        schema, SchemaOptions.DEFAULT.with(SchemaOptions.Whitespace.COMPACT));

        assertTrue(compact.accepts("{\"a\":[1,2]}"));
        assertFalse(compact.accepts("{\"a\": [1,2]}"));
        assertFalse(compact.accepts("{\"a\":[1, 2]}"));
        assertFalse(compact.accepts("{\"a\":[1,2]\n}"));
    }

    @Test
    void propertiesMayComeInAnyOrderOnRequest() {
        String schema =
                """
                {"type": "object", "additionalProperties": false, "required": ["a", "c"],
                 "properties": {"a": {}, "b": {}, "c": {}}, "maxProperties": 2}
                """;

        CompiledSchema unordered = CompiledSchema.of(schema, SchemaOptions.DEFAULT.inAnyOrder());

        assertTrue(unordered.accepts("{\"c\":1,\"a\":2}"));
        assertTrue(unordered.accepts("{\"a\":1,\"c\":2}"));
        assertFalse(unordered.accepts("{\"a\":1,\"a\":2}"));
        assertFalse(unordered.accepts("{\"a\":1}"));
        assertFalse(unordered.mayGoOn("{\"b\""), "there is no room for both others behind it");
    }

    @Test
    void objectThatCannotBeCompletedIsNotStarted() {
        String schema =
                """
                {"anyOf": [{"type": "null"},
                           {"type": "object", "required": ["a"],
                            "properties": {"a": {"$ref": "#/$defs/endless"}}}],
                 "$defs": {"endless": {"type": "object", "required": ["a"],
                           "properties": {"a": {"$ref": "#/$defs/endless"}}}}}
                """;

        for (SchemaOptions options :
                List.of(SchemaOptions.DEFAULT, SchemaOptions.DEFAULT.inAnyOrder())) {
            CompiledSchema compiled = CompiledSchema.of(schema, options);
            assertTrue(compiled.accepts("null"), options.toString());
            assertFalse(compiled.mayGoOn("{"), options.toString());
        }
    }
}
