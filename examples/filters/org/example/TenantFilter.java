package org.example;

import com.twitter.finagle.Service;
import com.twitter.finagle.SimpleFilter;
import com.twitter.finagle.http.Request;
import com.twitter.finagle.http.Response;
import com.twitter.finagle.http.Status;
import com.twitter.util.Future;

/**
 * A filter for {@code engine: finagle}: answers requests that name no tenant itself, marks the others, and shows what status the
 * endpoint gave. One instance serves every event loop, so it holds nothing of a request.
 *
 * <pre>
 * javac -cp 'FINAGLE/remora-finagle.jar:FINAGLE/lib/*' -d classes org/example/TenantFilter.java
 * jar --create --file filters/tenant.jar -C classes .
 * </pre>
 */
public final class TenantFilter extends SimpleFilter<Request, Response> {
    @Override
    public Future<Response> apply(Request request, Service<Request, Response> service) {
        if (!request.headerMap().contains("X-Tenant")) {
            Response refused = Response.apply(Status.Forbidden());
            refused.setContentString("no tenant\n");
            return Future.value(refused);
        }
        request.headerMap().set("X-Checked-By", "tenant-filter");
        return service.apply(request).map(response -> {
            response.headerMap().set("X-Endpoint-Status", Integer.toString(response.statusCode()));
            return response;
        });
    }
}
