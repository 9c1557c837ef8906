package dev.varve.platform.http;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.model.PrefixCacheContentsReport;
import dev.varve.platform.http.serving.RunningModel;
import dev.varve.platform.prefix.CachedPrefixInfo;

import tools.jackson.databind.JsonNode;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

/**
 * Lists and clears the prefix caches of the loaded models.
 *
 * @param offeredModels the models
 */
record PrefixCacheEndpoints(OfferedModels offeredModels) {
    private static final String LIMIT = "limit=";
    private static final int USUAL_LIMIT = 100;
    private static final int MOST = 1000;
    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,4}");

    /**
     * {@code GET /cache?limit=N&model=ID}: lists the prefixes that host memory can restore for a
     * model, the most recently used first; an empty list while the model is not loaded.
     */
    JsonNode list(Exchange exchange) throws InterruptedException {
        int limit = limit(Optional.ofNullable(exchange.request().getQueryString()).orElse(""));
        Optional<RunningModel> model =
                offeredModels.view(RequestedModelName.inQuery(exchange.request())).running();
        List<CachedPrefixInfo> entries =
                model.isPresent()
                        ? EngineFutures.await(model.get().served().engine().cacheEntries())
                        : List.of();
        return PrefixCacheContentsReport.entries(entries, limit);
    }

    /** Reads the limit without decoding escapes: a number needs none. */
    private static int limit(String query) {
        return Arrays.stream(query.split("&"))
                .filter(part -> part.startsWith(LIMIT))
                .map(part -> number(part.substring(LIMIT.length())))
                .findFirst()
                .orElse(USUAL_LIMIT);
    }

    private static int number(String text) {
        int number = DIGITS.matcher(text).matches() ? Integer.parseInt(text) : 0;
        if (number < 1 || number > MOST) {
            throw ApiException.invalid("limit", "limit: expected a whole number from 1 to " + MOST);
        }
        return number;
    }

    /**
     * {@code POST /cache/clear}: clears the prefix cache of all loaded models, except entries of
     * running requests. If one cache cannot be cleared, the others are cleared all the same.
     */
    JsonNode clear(Exchange exchange) throws InterruptedException {
        EngineFutures.await(
                CompletableFuture.allOf(
                        offeredModels.loaded().stream()
                                .map(model -> model.engine().clearCache())
                                .toArray(CompletableFuture<?>[]::new)));
        return Json.object().put("status", "ok");
    }
}
