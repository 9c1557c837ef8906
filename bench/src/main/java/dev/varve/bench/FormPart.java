package dev.varve.bench;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A schema to measure. */
enum FormPart {
    /** Nearly all tokens of a random model are allowed. */
    STRINGS(
            """
            {"type": "array", "minItems": 1000, "items": {"type": "string"}}
            """),

    /** Nearly no token is allowed, so that a mask is applied for nearly every token. */
    DIGITS(
            """
            {"type": "array", "minItems": 1000, "items": {"type": "string", "pattern": "^[0-9]+$"}}
            """),

    /** Most of the text is certain. Ends by itself, after some 200 tokens. */
    WORDY(
            """
            {"type": "array", "minItems": 3, "maxItems": 3, "items": {
               "type": "object", "additionalProperties": false,
               "required": ["identifierOfTheMeasurement", "unitOfTheMeasurement",
                            "isWithinTheExpectedInterval", "responsibleOrganisation",
                            "recommendationForTheOperator"],
               "properties": {
                 "identifierOfTheMeasurement": {"type": "integer", "minimum": 10, "maximum": 99},
                 "unitOfTheMeasurement": {"const": "degrees Celsius, rounded to tenths"},
                 "isWithinTheExpectedInterval": {"type": "boolean"},
                 "responsibleOrganisation": {"const": "National Institute of Standards"},
                 "recommendationForTheOperator": {"enum": [
                   "continue without any intervention",
                   "schedule an inspection within a week",
                   "stop the machine immediately"]}}}}
            """);

    private final String schema;

    FormPart(String schema) {
        this.schema = schema;
    }

    JsonNode schema() {
        return JsonMapper.shared().readTree(schema);
    }
}
