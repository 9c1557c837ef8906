package dev.varve.platform.http;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;

import tools.jackson.databind.JsonNode;

import java.util.regex.Pattern;

/**
 * {@code DELETE /lora-adapters/ID?model=ID}: removes a LoRA adapter, for the operator. Requests
 * that run keep it.
 *
 * @param context finds the model
 */
record LoraAdapterRemoval(RouteContext context) {
    /** Path prefix before the id of an adapter. */
    static final String PREFIX = "/lora-adapters/";

    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,9}");

    JsonNode remove(Exchange exchange) {
        String id = Route.below(PREFIX, exchange.request());
        if (!DIGITS.matcher(id).matches()) {
            throw ApiException.invalid("id", "id: expected the number of an adapter");
        }
        LoraAdaptersRoute.adapters(context, exchange).remove(Integer.parseInt(id));
        return Json.object().put("success", true);
    }
}
