package dev.varve.platform.http;

import dev.varve.platform.http.trace.RequestRecord;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/**
 * A request that got in, and its answer.
 *
 * @param record what else is known of it
 */
record Exchange(
        HttpServletRequest request,
        HttpServletResponse response,
        Admission.Admitted admitted,
        RequestRecord record) {}
