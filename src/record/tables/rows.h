// Readings of the model <-> lines of the tables.
#pragma once

#include "model/tick.h"
#include "record/reader.h"
#include "record/tables/schema.h"

namespace lowtide::record {

Row row_of(const model::TargetReading& reading);
Row row_of(const model::ProcessReading& reading);
Row row_of(const model::CgroupReading& reading);
Row row_of(const model::HostReading& reading);
Row row_of(const model::GpuReading& reading);
Row row_of(const model::GpuProcessReading& reading);
Row row_of(const model::HeapReading& reading);
Row row_of(const model::SiteReading& reading);

// The row must have passed the reader's checks: nothing is negative.
void from_row(const Row& row, model::TargetReading& reading);
void from_row(const Row& row, model::ProcessReading& reading);
void from_row(const Row& row, model::CgroupReading& reading);
void from_row(const Row& row, model::HostReading& reading);
void from_row(const Row& row, model::GpuReading& reading);
void from_row(const Row& row, model::GpuProcessReading& reading);
void from_row(const Row& row, model::HeapReading& reading);
void from_row(const Row& row, model::SiteReading& reading);

Point point_of(const Row& row);

}  // namespace lowtide::record
