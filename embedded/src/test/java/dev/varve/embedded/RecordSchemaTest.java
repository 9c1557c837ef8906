package dev.varve.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;

class RecordSchemaTest {
    enum Colour {
        RED,
        BLUE
    }

    record Item(String name, double price) {}

    record Order(
            long number,
            boolean paid,
            Colour colour,
            List<Item> items,
            int[] sizes,
            Map<String, Integer> counts,
            Optional<String> note) {}

    record Tree(List<Tree> parts) {}

    record Unusual(Thread thread) {}

    record Untyped(List<?> values) {}

    @Test
    void componentsHaveSchemasAndOptionalOnesMayBeMissing() {
        assertEquals(
                "{'type':'object','properties':{'number':{'type':'integer'},"
                        + "'paid':{'type':'boolean'},'colour':{'enum':['RED','BLUE']},"
                        + "'items':{'type':'array','items':{'type':'object','properties':"
                        + "{'name':{'type':'string'},'price':{'type':'number'}},"
                        + "'required':['name','price'],'additionalProperties':false}},"
                        + "'sizes':{'type':'array','items':{'type':'integer'}},"
                        + "'counts':{'type':'object','additionalProperties':{'type':'integer'}},"
                        + "'note':{'type':'string'}},"
                        + "'required':['number','paid','colour','items','sizes','counts'],"
                        + "'additionalProperties':false}",
                RecordSchema.of(Order.class).replace('"', '\''));
    }

    @Test
    void textOfTheSchemaBecomesTheRecord() {
        Order order =
                RecordSchema.read(
                        Order.class,
                        """
                        {"number": 7, "paid": true, "colour": "BLUE",
                         "items": [{"name": "pen", "price": 1.5}], "sizes": [1, 2],
                         "counts": {"a": 3}}
                        """);

        assertEquals(7, order.number());
        assertEquals(Colour.BLUE, order.colour());
        assertEquals(List.of(new Item("pen", 1.5)), order.items());
        assertEquals(Map.of("a", 3), order.counts());
        assertEquals(Optional.empty(), order.note());
    }

    @Test
    void otherTextIsRefusedByPlaceWithoutItsContent() {
        for (String text :
                List.of("null", "[]", "{\"name\": \"secret\", \"price\": \"secret\"}", "{")) {
            VarveException failure =
                    assertThrows(
                            VarveException.class, () -> RecordSchema.read(Item.class, text), text);

            assertEquals(VarveException.Kind.INVALID_REQUEST, failure.kind());
            assertTrue(!failure.getMessage().contains("secret"), failure.getMessage());
        }
    }

    @Test
    void componentWithoutASchemaIsNamed() {
        assertTrue(refusal(Unusual.class).contains("Unusual.thread"), refusal(Unusual.class));
        assertTrue(refusal(Untyped.class).contains("Untyped.values"), refusal(Untyped.class));
        assertTrue(refusal(Tree.class).contains("Tree"), refusal(Tree.class));
    }

    private static String refusal(Class<? extends Record> type) {
        return assertThrows(IllegalArgumentException.class, () -> RecordSchema.of(type))
                .getMessage();
    }
}
